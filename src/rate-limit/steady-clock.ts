import type { Clock } from "../time/clock.js";

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
