import type { SteadyClock } from "../time/clock.js";

/** The abort reason of a replaced timer. Without it, the platform creates an error with a stack trace each time. */
const REPLACED = "the timer was replaced";

/** The one timer of a pacer. */
export class Timer {
  readonly #clock: SteadyClock;
  readonly #onTime: (now: number) => void;
  readonly #onFailure: (reason: unknown) => void;
  #set: { at: number; controller: AbortController } | null = null;

  constructor(clock: SteadyClock, onTime: (now: number) => void, onFailure: (reason: unknown) => void) {
    this.#clock = clock;
    this.#onTime = onTime;
    this.#onFailure = onFailure;
  }

  /** Replaces the timer; with `Infinity`, cancels it. */
  set(at: number, now: number): void {
    if (this.#set?.at === at) return;
    this.#set?.controller.abort(REPLACED);
    this.#set = null;
    if (at === Number.POSITIVE_INFINITY) return;
    const controller = new AbortController();
    const end = (then: () => void) => {
      if (controller.signal.aborted) return;
      this.#set = null;
      then();
    };
    this.#set = { at, controller };
    // If the sleep of a clock ends without moving its time, the timer must not be set for the same time again.
    const wake = () => end(() => this.#onTime(Math.max(at, this.#clock.now())));
    const fail = (reason: unknown) => end(() => this.#onFailure(reason));
    this.#clock
      .sleep(at - now, controller.signal)
      .then(wake)
      .catch(fail);
  }
}
