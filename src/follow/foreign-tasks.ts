import type { TaskNotFoundError } from "../errors/api-errors.js";
import type { JournalRecord } from "../journal/journal.js";

/** Half the first pause before such a task is read again. Each one is twice as long as the one before. */
const HALF_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;

/** The tasks that the API key cannot find although the service has created them: they are of another account. */
export class ForeignTasks {
  readonly #report: (text: string) => void;
  readonly #pauses = new Map<string, { ms: number; until: number }>();
  #hasReported = false;

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** Whether the task of an order was not found a short while ago. */
  isPaused(key: string, now: number): boolean {
    return (this.#pauses.get(key)?.until ?? 0) > now;
  }

  /**
   * Whether a task that was not found is of another account, since the service has created it: the ID is not one of `settleOutcome`.
   * Reports the first.
   */
  include(error: TaskNotFoundError, key: string, { settled }: JournalRecord, now: number): boolean {
    if (settled === true) return false;
    const ms = Math.min(LONGEST_PAUSE_MS, 2 * (this.#pauses.get(key)?.ms ?? HALF_PAUSE_MS));
    this.#pauses.set(key, { ms, until: now + ms });
    if (!this.#hasReported)
      this.#report(
        `Order ${JSON.stringify(key)}, and each like it, is not delivered until the API key can read its task. ${error.message}`,
      );
    this.#hasReported = true;
    return true;
  }
}
