import type { TaskNotFoundError } from "../errors/api-errors.js";
import type { JournalRecord } from "../journal/journal.js";

/** Recognizes tasks that may be of another account: with the API key of a wrong one, no order may be acknowledged. */
export class ForeignTasks {
  readonly #report: (text: string) => void;
  #hasReadEnd = false;
  #hasReported = false;

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** The API key has read the end of a task: it is of the right account. */
  noteEnd(): void {
    this.#hasReadEnd = true;
  }

  /** Whether a task that was not found may be of another account, since the service has created it. Reports the first. */
  include(error: TaskNotFoundError, key: string, { submission }: JournalRecord): boolean {
    if (submission === null || this.#hasReadEnd) return false;
    if (!this.#hasReported)
      this.#report(
        `Order ${JSON.stringify(key)}, and each like it, is not delivered until the API key can read its task. ${error.message}`,
      );
    this.#hasReported = true;
    return true;
  }
}
