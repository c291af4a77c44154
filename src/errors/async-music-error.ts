import { printableLine, withoutCredentials } from "../contract/printable.js";

/** What every error of this package can be given. */
export interface ErrorDetails {
  cause?: unknown;
  /** The task that the error is about, where there is one. */
  taskId?: string | undefined;
}

/**
 * The base of every error that this package throws. Outside the family are only an abort, which rejects with the
 * signal's own reason, and what a caller's own callback throws while nothing is at stake.
 */
export class AsyncMusicError extends Error {
  override name = "AsyncMusicError";

  /** The task that the error is about: always there once a task is submitted, and enough to go on waiting for it. */
  readonly taskId: string | null;

  constructor(message: string, { cause, taskId }: ErrorDetails = {}) {
    // Messages quote the service, and addresses: what a terminal would obey, and passwords, must not be in them.
    super(withoutCredentials(printableLine(message)), cause === undefined ? undefined : { cause });
    this.taskId = taskId ?? null;
  }

  /** The error as a log line holds it: name, message and properties, without the stack and the cause. */
  toJSON(): Record<string, unknown> {
    return { ...Object.fromEntries(Object.entries(this)), name: this.name, message: this.message };
  }
}
