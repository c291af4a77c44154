/** Where the client gets its time from: the system's clock by default, the emulator's in tests. */
export interface Clock {
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The time that an HTTP date names, in milliseconds since the epoch; `null` where it can't be read. */
export function parseDate(text: string | null): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** The last time that a date can have, in milliseconds since the epoch. */
const END_OF_TIME = 8.64e15;

/** A time as the caller's own kind of value; what lies beyond the end of time is that end. */
export function dateAt(time: number): Date {
  return new Date(Math.min(time, END_OF_TIME));
}

/** A sleep looks at the time at least this often: the timers of a machine that is suspended stand still. */
const LONGEST_NAP_MS = 10_000;

/** A wall that lags by more than this was set back; by less it is only being adjusted. */
const SET_BACK_MS = 1000;

/**
 * The system's time and its timers. What was set forward has passed, as it has for a laptop that slept; what was set
 * back is made up for, since a wait must go on at its pace: from then on the time is that much ahead of the wall.
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
        await sleepOnce(Math.min(left, LONGEST_NAP_MS), signal);
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
      abort.leave();
      resolve();
    }, ms);
  });
}

/** Draws a number from 0 up to, but not including, 1. */
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
 * The time of a clock that may be set back: this one then goes on from where it was, so that nothing which is planned on it
 * waits for the old time to come again. Times of the clock's own are carried over with what was lost so far.
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

  /** A time of the clock's own on this one. */
  fromClock(time: number): number {
    return time + this.#lostMs;
  }

  /** A time of this one on the clock's own. */
  toClock(time: number): number {
    return time - this.#lostMs;
  }

  /** Rejects, and never throws, whatever a clock of the caller's own does. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}

/** A callback for the abort of a signal. */
export class AbortCall {
  declare readonly callback: () => void;
  declare readonly signal: AbortSignal | null;

  constructor(callback: () => void, signal: AbortSignal | null) {
    this.callback = callback;
    this.signal = signal;
  }

  /** Removes the callback. A second call does nothing. */
  leave(): void {
    const { signal } = this;
    const calls = signal && callsBySignal.get(signal);
    if (calls?.delete(this) && calls.size === 0) signal?.removeEventListener("abort", callAll);
  }
}

const NO_CALL = new AbortCall(() => {}, null);

const callsBySignal = new WeakMap<AbortSignal, Set<AbortCall>>();

/**
 * Calls back when a signal is aborted, unless the callback is removed before. A signal has one listener for all its callbacks:
 * thousands of waits may share a signal, and an `EventTarget` searches all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): AbortCall {
  if (signal === undefined) return NO_CALL;
  const call = new AbortCall(callback, signal);
  const calls = callsBySignal.get(signal) ?? new Set();
  if (calls.size === 0) callsBySignal.set(signal, calls);
  if (calls.size === 0 && !aborters.has(signal)) signal.addEventListener("abort", callAll);
  calls.add(call);
  return call;
}

function callAll(this: AbortSignal): void {
  const calls = callsBySignal.get(this) ?? new Set();
  callsBySignal.delete(this);
  this.removeEventListener("abort", callAll);
  for (const { callback } of calls) callback();
}

/** The signals whose controller calls back by itself. */
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
 * Whether an error is only the reason of an abort. An application may abort many runs with the failure of one as the reason: it
 * says nothing about the others.
 */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && Object.is(error, signal.reason);
}

export type Deadline = ReturnType<typeof startDeadline>;

/** Limits one attempt in real time, whatever the client's clock: a virtual clock may never move while a request is in flight. */
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
  const onTimeout = () => {
    timedOut = true;
    end(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError"));
  };
  let timer = setTimeout(onTimeout, timeoutMs);
  const callerAbort = onAbort(callerSignal, () => end(callerSignal?.reason));
  const clear = () => {
    clearTimeout(timer);
    callerAbort.leave();
  };
  if (callerSignal?.aborted) end(callerSignal.reason);

  return {
    /** Aborted when the attempt must end. */
    signal,
    /** Rejects when the attempt must end, for code that ignores the signal. */
    ended,
    timedOut: () => timedOut,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    },
    /** Stops the time limit until `restart`. */
    pause: () => clearTimeout(timer),
    clear,
  };
}
