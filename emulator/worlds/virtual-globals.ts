import type { Clock } from "../../src/time/clock.js";
import { LONGEST_TIMER_MS } from "../time/clock.js";

/** One life of a process of a world, which may be suspended. */
export interface Suspendable {
  /** Whether it has ended: none of its timers ends from then on. */
  readonly isDead: boolean;
  /** The process to which it belongs. */
  readonly worker: {
    readonly isSuspended: boolean;
    /** Resolves when the process is no longer suspended. */
    awake(): Promise<void>;
    /** Called when one of its timers ends. */
    countStep(what: string): void;
  };
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
function callLater(
  clock: Clock,
  ms: number,
  callback: () => void,
  signal?: AbortSignal,
  onAbort: (reason: unknown) => void = ignored,
): void {
  const owner = owners?.getStore();
  const isOver = (): unknown => {
    if (owner?.isDead) return;
    if (signal?.aborted) return onAbort(signal.reason);
    if (owner?.worker.isSuspended) return owner.worker.awake().then(isOver, ignored);
    owner?.worker.countStep("a timer ends");
    return callback();
  };
  clock.sleep(ms, signal).then(isOver, (reason) => {
    if (!owner?.isDead) onAbort(reason);
  });
}

/** As Node does with a time that is not possible. */
function timerMs(ms: number): number {
  return ms >= 1 && ms <= LONGEST_TIMER_MS ? Number(ms) : 1;
}

/** A timer on a world's clock, with the methods of a timer of Node. */
class VirtualTimer {
  readonly #numbered: Map<number, VirtualTimer>;
  readonly #wait: (signal: AbortSignal) => void;
  #stop = new AbortController();
  #isClosed = false;
  #number = 0;

  /** @param numbered - the timers that the program made numbers of */
  constructor(numbered: Map<number, VirtualTimer>, wait: (signal: AbortSignal) => void) {
    this.#numbered = numbered;
    this.#wait = wait;
    this.refresh();
  }

  close(): this {
    this.#isClosed = true;
    this.#stop.abort("closed");
    return this;
  }

  refresh(): this {
    if (this.#isClosed) return this;
    this.#stop.abort("refreshed");
    this.#stop = new AbortController();
    this.#wait(this.#stop.signal);
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  [Symbol.toPrimitive](): number {
    this.#number ||= this.#numbered.size + 1;
    this.#numbered.set(this.#number, this);
    return this.#number;
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
      "Another world runs in this process. Await each `explore` and `replay` before the next one. If a test has timed out, its exploration continues: pass a `signal` to it.",
    );
  isVirtual = true;
  const { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate } = globalThis;
  const { timeout } = AbortSignal;
  const numbered = new Map<number, VirtualTimer>();
  const add =
    (repeats: boolean) =>
    (callback: Callback, ms = 1, ...values: unknown[]) => {
      if (typeof callback !== "function") throw new TypeError("The callback of a timer must be a function.");
      const end = () => {
        if (repeats) timer.refresh();
        callback(...values);
      };
      const wait = (signal: AbortSignal) => callLater(clock, timerMs(ms), end, signal);
      const timer = new VirtualTimer(numbered, wait);
      return timer;
    };
  const remove = (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.close();
    else if (typeof timer === "number" || typeof timer === "string") numbered.get(Number(timer))?.close();
  };
  /** What `promisify(setTimeout)` returns. */
  const sleep = (ms = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      callLater(clock, timerMs(ms), () => resolve(value), signal, reject);
    });
  const virtual = {
    setTimeout: Object.assign(add(false), { [Symbol.for("nodejs.util.promisify.custom")]: sleep }),
    clearTimeout: remove,
    setInterval: add(true),
    clearInterval: remove,
  };
  Object.assign(globalThis, virtual, { Date: dateOf(clock, RealDate) });
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const reason = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");
    callLater(clock, ms, () => controller.abort(reason()));
    return controller.signal;
  };
  let isRestored = false;
  return () => {
    // The globals may be those of the next world.
    if (isRestored) return;
    isRestored = true;
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate });
    AbortSignal.timeout = timeout;
    isVirtual = false;
  };
}

/** `Date` on the clock of a world. */
function dateOf(clock: Clock, RealDate: DateConstructor) {
  class DateOfWorld extends RealDate {
    constructor(...values: [] | [number]) {
      if (values.length === 0) super(clock.now());
      else super(...values);
    }

    static override now(): number {
      return clock.now();
    }
  }
  // A class cannot be called as a function, as `Date()` can.
  const VirtualDate = new Proxy(DateOfWorld, { apply: () => new DateOfWorld().toString() });
  VirtualDate.prototype.constructor = VirtualDate;
  const isInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(VirtualDate, Symbol.hasInstance, {
    // A subclass inherits it.
    value(this: unknown, value: unknown) {
      return this === VirtualDate ? value instanceof RealDate : isInstance.call(this, value);
    },
  });
  return VirtualDate;
}
