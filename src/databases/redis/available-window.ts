import type { SteadyClock } from "../../time/clock.js";
import { REPLY_LASTS_MS, type SharedWindow } from "./shared-window.js";

/** The timeout of the shared window, in two sleeps: a process that was suspended still reads the response after the first one. */
const TIMEOUT_SLEEPS = 2;
const SLEEP_MS = REPLY_LASTS_MS / TIMEOUT_SLEEPS;
/** How long an unavailable shared window is not used. */
const UNAVAILABLE_MS = 10_000;

/** The shared window of a fleet, which is not called for a while after it has failed or has not responded. */
export class AvailableWindow {
  readonly #clock: SteadyClock;
  readonly #window: SharedWindow;
  readonly #onUnavailable: (error: unknown) => unknown;
  unavailableUntil: number = Number.NEGATIVE_INFINITY;
  /** Whether the last call failed. */
  #hasFailed = false;

  constructor(clock: SteadyClock, window: SharedWindow, onUnavailable: (error: unknown) => unknown) {
    this.#clock = clock;
    this.#window = window;
    this.#onUnavailable = onUnavailable;
  }

  get isAvailable(): boolean {
    return this.#clock.now() >= this.unavailableUntil;
  }

  /** Resolves with `null` if the shared window is unavailable, or becomes so by this call. */
  async call<Reply>(request: (window: SharedWindow) => Promise<Reply>): Promise<Reply | null> {
    if (!this.isAvailable) return null;
    const timer = new AbortController();
    try {
      const reply = await Promise.race([request(this.#window), this.#timeout(timer.signal)]);
      this.#hasFailed = false;
      return reply;
    } catch (error) {
      this.#fail(error);
      return null;
    } finally {
      timer.abort();
    }
  }

  #fail(error: unknown): void {
    this.unavailableUntil = this.#clock.now() + UNAVAILABLE_MS;
    // An error of the listener is ignored.
    const notify = async () => this.#onUnavailable(error);
    if (!this.#hasFailed) notify().catch(() => {});
    this.#hasFailed = true;
  }

  async #timeout(signal: AbortSignal): Promise<never> {
    for (let count = 0; count < TIMEOUT_SLEEPS; count++) await this.#clock.sleep(SLEEP_MS, signal);
    throw new Error(`Redis did not respond within ${REPLY_LASTS_MS / 1000} s.`);
  }
}
