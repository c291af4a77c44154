import { AsyncMusicError, type ErrorDetails } from "./base.js";

/**
 * The journal did not do its part; what it threw is the `cause`. Without a `taskId` nothing was sent and nothing is
 * charged. With one the task exists, and only the journal does not know of it.
 */
export class JournalError extends AsyncMusicError {
  override name = "JournalError";

  /** The key of the entry. */
  readonly journalKey: string;

  constructor(message: string, details: ErrorDetails & { journalKey: string }) {
    super(message, details);
    this.journalKey = details.journalKey;
  }
}

/** The journal holds another request under this key; the message names its task, if it has one. Nothing was sent. */
export class JournalConflictError extends JournalError {
  override name = "JournalConflictError";
}
