import { InvalidOptionError, shown } from "../errors/base.js";
import type { JournalError } from "../errors/journal-errors.js";
import type { Redactor } from "../http/redactor.js";
import type { Journal } from "./journal.js";

/** What `run` and `runAll` take of a journal beside its key. */
export interface JournalOptions {
  /**
   * Where this run is recorded, so that nothing is ever paid twice; it goes with `journalKey`. The intent is written
   * before the first byte of the POST leaves, and the task once it is known. A run with a key whose task is recorded
   * waits for that task and sends nothing. A run with a key whose outcome nobody knows rejects with
   * `SubmissionOutcomeUnknownError`, and sends nothing either. A refusal leaves the key free.
   */
  journal?: Journal | undefined;
  /**
   * Reads `usage.tasks_created` before the POST, and again once its outcome is unknown, so that the error can say what
   * the difference is evidence of. It goes with `journal`, and costs one more request.
   *
   * @defaultValue false
   */
  probe?: boolean | undefined;
  /**
   * Called when a task was submitted and the journal could record it neither at once nor at the end of the run. The
   * run itself goes on to its result; save the error's `taskId` elsewhere.
   */
  onUnrecorded?: ((error: JournalError) => void | Promise<void>) | undefined;
}

/** Where a run is recorded. */
export interface JournalPlace {
  journal: Journal;
  key: string;
  probe: boolean;
}

/** The place that the options name; `null` where they name none. */
export function checkJournalOptions(
  { journal, journalKey, probe = false }: JournalOptions & { journalKey?: string | undefined },
  redactor: Redactor,
): JournalPlace | null {
  checkJournal(journal);
  if (typeof probe !== "boolean") throw new InvalidOptionError("probe", "be true or false", shown(probe));
  if (journalKey === undefined) {
    if (journal !== undefined) throw new InvalidOptionError("journalKey", "be given with `journal`");
    if (probe) throw new InvalidOptionError("probe", "be given with `journal`");
    return null;
  }
  if (typeof journalKey !== "string" || journalKey === "")
    throw new InvalidOptionError("journalKey", "be a text that is not empty");
  if (redactor.isGivenAway(journalKey)) throw new InvalidOptionError("journalKey", "not hold the API key");
  if (journal === undefined) throw new InvalidOptionError("journal", "be given with `journalKey`");
  return { journal, key: journalKey, probe };
}

function checkJournal(journal: Journal | undefined): void {
  if (journal === undefined) return;
  const isJournal = [journal?.get, journal?.put, journal?.delete].every((each) => typeof each === "function");
  if (!isJournal) throw new InvalidOptionError("journal", "have the methods get, put and delete");
}
