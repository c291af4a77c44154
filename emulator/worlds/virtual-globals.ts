import type { Clock } from "../../src/time/clock.js";

/** A process of a world, which may be suspended. */
export interface Suspendable {
  readonly isSuspended: boolean;
  /** Resolves when the process is no longer suspended. */
  awake(): Promise<void>;
}

/** What `AsyncLocalStorage` of Node, Bun and Deno does. */
interface Owners {
  run<Value>(owner: Suspendable, work: () => Value): Value;
  getStore(): Suspendable | undefined;
}

/** The process that the running code belongs to. Without it, timers also end while their process is suspended. */
const owners = createOwners();

function createOwners(): Owners | undefined {
  const { process: host } = globalThis as {
    process?: { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Owners } | undefined };
  };
  const hooks = host?.getBuiltinModule?.("node:async_hooks");
  return hooks && new hooks.AsyncLocalStorage();
}

/** Runs code of a process: its timers do not end while it is suspended. */
export function runAs<Value>(owner: Suspendable, work: () => Value): Value {
  return owners === undefined ? work() : owners.run(owner, work);
}

/** For the rejection of a sleep by an abort, or by the clock of an ended world. */
function ignored(): void {}

/** Calls back on a world's clock, once the process that began this is awake. */
function callLater(clock: Clock, ms: number, callback: () => void, signal?: AbortSignal): void {
  const owner = owners?.getStore();
  const isOver = () => {
    if (!owner?.isSuspended) return callback();
    return owner.awake().then(() => {
      if (!signal?.aborted) callback();
    }, ignored);
  };
  clock.sleep(ms, signal).then(isOver, ignored);
}

/** A timer on a world's clock, with the methods of a timer of Node. */
class VirtualTimer {
  readonly #stop = new AbortController();

  constructor(clock: Clock, ms: number, repeats: boolean, callback: () => void) {
    const end = () => {
      if (repeats) wait();
      else this.close();
      callback();
    };
    const wait = () => callLater(clock, Math.max(ms, 1), end, this.#stop.signal);
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

/** Whether a world runs on the globals of this process. */
let isVirtual = false;

type Callback = (...values: unknown[]) => void;

/**
 * Runs the timers and the date of this process on a world's clock: `setTimeout`, `setInterval`, `AbortSignal.timeout` and
 * `Date`. Returns a function that restores them.
 *
 * @throws Error another world runs: restoring the globals of two would leave those of one
 */
export function useVirtualGlobals(clock: Clock): () => void {
  if (isVirtual)
    throw new Error(
      "Another world runs in this process. Await each `explore` and `replay` before the next one.",
    );
  isVirtual = true;
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
    callLater(clock, ms, () => controller.abort(reason()));
    return controller.signal;
  };
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate });
    AbortSignal.timeout = timeout;
    isVirtual = false;
  };
}
