import { JournalError } from "./journal-error.js";

/** The journal holds another request under this key. Nothing was sent. */
export class JournalConflictError extends JournalError {
  override name = "JournalConflictError";
}
