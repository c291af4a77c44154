/** The time of the client: the system's clock by default, the emulator's in tests. */
export interface Clock {
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The time of a date, in milliseconds since the epoch; `null` if it can't be parsed. */
export function parseDate(text: string | null): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** The latest time that a `Date` can represent, in milliseconds since the epoch. */
const LATEST_DATE = 8.64e15;

/** A time as a `Date`; the latest possible one for a later time. */
export function dateAt(time: number): Date {
  return new Date(Math.min(time, LATEST_DATE));
}

/** A sleep reads the time at least this often, since timers stop while a machine is suspended. */
const LONGEST_TIMER_MS = 10_000;

/** A wall clock that lags by more than this was set back; a smaller lag is an adjustment. */
const SET_BACK_MS = 1000;

/**
 * The system's time and its timers. If the system's clock is set forward, that time counts as passed, as after the sleep of
 * a laptop. If it is set back, this clock stays ahead of it by that much, so that no wait gets longer.
 */
export function createSystemClock(): Clock {
  let wall = Date.now();
  let steady = performance.now();
  let setBackMs = 0;

  const now = () => {
    const seen = { wall: Date.now(), steady: performance.now() };
    const lagMs = wall + (seen.steady - steady) - seen.wall;
    if (lagMs > SET_BACK_MS) setBackMs += lagMs;
    ({ wall, steady } = seen);
    return wall + setBackMs;
  };

  return {
    now,

    async sleep(ms, signal) {
      const wakeAt = now() + ms;
      for (let left = ms; left > 0; left = wakeAt - now()) {
        await sleepOnce(Math.min(left, LONGEST_TIMER_MS), signal);
      }
      signal?.throwIfAborted();
    },
  };
}

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = onAbort(signal, () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    });
    const timeout = setTimeout(() => {
      abort.remove();
      resolve();
    }, ms);
  });
}

/** Returns a random number from 0 up to, but not including, 1. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** A new UUID from the system's secure source. */
export const systemUuid = (): string => crypto.randomUUID();

const CHECK_EVERY_MS = 100;

/**
 * Calls back `graceMs` real milliseconds after the clock has reached a time, also if a test moves the clock while nothing
 * sleeps on it. Returns a function that cancels it.
 */
export function whenOverdue(clock: Clock, time: number, graceMs: number, callback: () => void): () => void {
  const check = () => {
    const hasCome = clock.now() >= time;
    timer = setTimeout(hasCome ? callback : check, hasCome ? graceMs : CHECK_EVERY_MS);
  };
  let timer = setTimeout(check, CHECK_EVERY_MS);
  return () => clearTimeout(timer);
}

/**
 * A clock that is never set back. If the given clock is, this one continues from its last time, so that no plan is delayed.
 * `fromClock` and `toClock` convert the times of the given clock.
 */
export class SteadyClock {
  readonly #clock: Clock;
  #seen: number;
  #lostMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#seen = clock.now();
  }

  now(): number {
    const now = this.#clock.now();
    this.#lostMs += Math.max(0, this.#seen - now);
    this.#seen = now;
    return now + this.#lostMs;
  }

  /** Converts a time of the given clock to this one. */
  fromClock(time: number): number {
    return time + this.#lostMs;
  }

  /** Converts a time of this clock to the given one. */
  toClock(time: number): number {
    return time - this.#lostMs;
  }

  /** Rejects if the `sleep` of a custom clock throws. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}

/** A callback for the abort of a signal. */
export class AbortCallback {
  declare readonly callback: () => void;
  declare readonly signal: AbortSignal | null;

  constructor(callback: () => void, signal: AbortSignal | null) {
    this.callback = callback;
    this.signal = signal;
  }

  /** Removes the callback. A second call does nothing. */
  remove(): void {
    const { signal } = this;
    const callbacks = signal && callbacksBySignal.get(signal);
    if (callbacks?.delete(this) && callbacks.size === 0) signal?.removeEventListener("abort", callAll);
  }
}

const NO_CALLBACK = new AbortCallback(() => {}, null);

const callbacksBySignal = new WeakMap<AbortSignal, Set<AbortCallback>>();

/**
 * Calls back when a signal is aborted, unless the callback is removed before. A signal has one listener for all its callbacks:
 * thousands of waits may share a signal, and an `EventTarget` searches all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): AbortCallback {
  if (signal === undefined) return NO_CALLBACK;
  const added = new AbortCallback(callback, signal);
  const callbacks = callbacksBySignal.get(signal) ?? new Set();
  if (callbacks.size === 0) callbacksBySignal.set(signal, callbacks);
  if (callbacks.size === 0 && !aborters.has(signal)) signal.addEventListener("abort", callAll);
  callbacks.add(added);
  return added;
}

function callAll(this: AbortSignal): void {
  const callbacks = callbacksBySignal.get(this) ?? new Set();
  callbacksBySignal.delete(this);
  this.removeEventListener("abort", callAll);
  for (const { callback } of callbacks) callback();
}

/** The signals of `Aborter`, which calls the callbacks itself. */
const aborters = new WeakSet<AbortSignal>();

/**
 * An `AbortController` whose signal needs no listener for `onAbort`: a listener takes more memory than the controller, and tens
 * of thousands of waits have one each. Other code can listen to it as to any signal.
 */
export class Aborter extends AbortController {
  constructor() {
    super();
    aborters.add(this.signal);
  }

  override abort(reason?: unknown): void {
    super.abort(reason);
    callAll.call(this.signal);
  }
}

/**
 * Whether an error is only the reason of an abort. An application may abort many runs with the failure of one as the reason,
 * so its `taskId` need not be that of this run.
 */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && Object.is(error, signal.reason);
}

/** Why an attempt ended at its deadline. The fake timers of a test runner, which have a `clock`, may end it early. */
export function noResponseWithin(timeoutMs: number): string {
  const isFake = Object.hasOwn(setTimeout, "clock");
  return `no response came within ${timeoutMs} ms${isFake ? " of fake time. Wait in real time before each step" : ""}`;
}

export type Deadline = ReturnType<typeof startDeadline>;

/** A deadline that comes this much too late: the process did not run, since it was suspended or blocked. */
const LATE_MS = 10;

/** What arrived while the process did not run is delivered within these turns of the event loop: 1 s in total. */
const LATE_TURNS = 10;
const LATE_TURN_MS = 100;

/**
 * Limits one attempt in real time, whatever the client's clock: a virtual clock may never move while a request is in flight.
 * A process that was suspended past its deadline first receives what has arrived meanwhile. Turns are counted and not time,
 * so that another suspension does not use them up.
 */
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  let timedOut = false;
  let end = (_reason: unknown) => {};
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => {
      clear();
      controller.abort(reason);
      reject(signal.reason);
    };
  });
  ended.catch(() => {});
  const endAfter = (turns: number) => {
    if (turns > 0) {
      timer = setTimeout(endAfter, LATE_TURN_MS, turns - 1);
      return;
    }
    timedOut = true;
    end(new DOMException(`no response within ${timeoutMs} ms`, "TimeoutError"));
  };
  const start = () => {
    const dueAt = performance.now() + timeoutMs;
    return setTimeout(() => endAfter(performance.now() - dueAt > LATE_MS ? LATE_TURNS : 0), timeoutMs);
  };
  let timer = start();
  const callerAbort = onAbort(callerSignal, () => end(callerSignal?.reason));
  const clear = () => {
    clearTimeout(timer);
    callerAbort.remove();
  };
  if (callerSignal?.aborted) end(callerSignal.reason);

  return {
    timeoutMs,
    /** Aborted when the attempt must end. */
    signal,
    /** Rejects when the attempt must end, for code that ignores the signal. */
    ended,
    timedOut: () => timedOut,
    restart() {
      clearTimeout(timer);
      timer = start();
    },
    /** Stops the time limit until `restart`. */
    pause: () => clearTimeout(timer),
    clear,
  };
}
