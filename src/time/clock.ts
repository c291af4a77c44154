import { onAbort } from "./abort.js";

/** The time of the client: the system's clock by default, the emulator's in tests. */
export interface Clock {
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A sleep reads the time at least this often, since timers stop while a machine is suspended. */
const LONGEST_TIMER_MS = 10_000;

/** A wall clock that lags by more than this was set back; a smaller lag is an adjustment. */
const SET_BACK_MS = 1000;

const systemClocks = new WeakSet<Pick<Clock, "now">>();

/**
 * The time by which stored dates are written and compared, since other processes read them. It is the clock's own time, but that of
 * a system clock follows the system's when that is set back.
 */
export function wallTime(clock: Pick<Clock, "now">): number {
  return systemClocks.has(clock) ? Date.now() : clock.now();
}

/**
 * The system's time and its timers. If the system's clock is set forward, that time counts as passed, as after the sleep of
 * a laptop. If it is set back, this clock stays ahead of it by that much, so that no wait gets longer: see `wallTime`.
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

  const clock: Clock = {
    now,

    async sleep(ms, signal) {
      const wakeAt = now() + ms;
      for (let left = ms; left > 0; left = wakeAt - now()) {
        await sleepOnce(Math.min(left, LONGEST_TIMER_MS), signal);
      }
      signal?.throwIfAborted();
    },
  };
  systemClocks.add(clock);
  return clock;
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

const CHECK_EVERY_MS = 100;

/**
 * Calls back `graceMs` real milliseconds after the clock has reached a time, also if a test moves the clock while nothing
 * sleeps on it. A clock that throws counts as one that has reached it. Returns a function that cancels it.
 */
export function whenOverdue(clock: Clock, time: number, graceMs: number, callback: () => void): () => void {
  const check = () => {
    let hasCome = true;
    try {
      hasCome = clock.now() >= time;
    } catch {}
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

  fromClock(time: number): number {
    return time + this.#lostMs;
  }

  toClock(time: number): number {
    return time - this.#lostMs;
  }

  /** Rejects if the `sleep` of a custom clock throws. */
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
