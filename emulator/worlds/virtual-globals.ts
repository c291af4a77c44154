import type { Clock } from "../../src/time/clock.js";

/** A timer on a world's clock, with the methods of a timer of Node. */
class VirtualTimer {
  readonly #stop = new AbortController();

  constructor(clock: Clock, ms: number, repeats: boolean, callback: () => void) {
    const wait = (): void => {
      clock.sleep(Math.max(ms, 1), this.#stop.signal).then(
        () => {
          if (repeats) wait();
          else this.close();
          callback();
        },
        () => {},
      );
    };
    wait();
  }

  close(): this {
    this.#stop.abort("closed");
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

type Callback = (...values: unknown[]) => void;

/**
 * Runs the timers and the date of this process on a world's clock: `setTimeout`, `setInterval`, `AbortSignal.timeout` and
 * `Date`. Returns a function that restores them.
 */
export function useVirtualGlobals(clock: Clock): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate } = globalThis;
  const { timeout } = AbortSignal;
  const add =
    (repeats: boolean) =>
    (callback: Callback, ms = 0, ...values: unknown[]) =>
      new VirtualTimer(clock, ms, repeats, () => callback(...values));
  const remove = (timer: unknown) => void (timer instanceof VirtualTimer && timer.close());

  class VirtualDate extends RealDate {
    constructor(...values: [] | [number]) {
      if (values.length === 0) super(clock.now());
      else super(...values);
    }

    static override now(): number {
      return clock.now();
    }

    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof RealDate;
    }
  }

  const virtual = {
    setTimeout: add(false),
    clearTimeout: remove,
    setInterval: add(true),
    clearInterval: remove,
  };
  Object.assign(globalThis, virtual, { Date: VirtualDate });
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const reason = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");
    clock.sleep(ms).then(
      () => controller.abort(reason()),
      () => {},
    );
    return controller.signal;
  };
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate });
    AbortSignal.timeout = timeout;
  };
}
