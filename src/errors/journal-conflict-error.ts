import { JournalError } from "./journal-error.js";

/** The journal holds another request under this key; the message names its task, if it has one. Nothing was sent. */
export class JournalConflictError extends JournalError {
  override name = "JournalConflictError";
}
