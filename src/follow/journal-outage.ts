import type { Clock } from "../time/clock.js";

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/** When a journal that fails is tried again: after 1, 2, 4, 8, 16 and then each 30 s, for `maxFailureMs` in all. */
export class JournalOutage {
  readonly #settings: OutageSettings;
  #since: number | null = null;
  #failures = 0;

  constructor(settings: OutageSettings) {
    this.#settings = settings;
  }

  /** Returns after how many milliseconds to try again. @throws the error, if the journal has failed for too long */
  failed(error: unknown): number {
    const { clock, maxFailureMs, onJournalFailure } = this.#settings;
    const now = clock.now();
    this.#since ??= now;
    if (now - this.#since >= maxFailureMs) throw error;
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++);
    onJournalFailure?.(error, delayMs);
    return delayMs;
  }

  end(): void {
    this.#since = null;
    this.#failures = 0;
  }
}

interface OutageSettings {
  clock: Pick<Clock, "now">;
  maxFailureMs: number;
  onJournalFailure?(error: unknown, retryMs: number): void;
}
