import { invalidOption, shown, wrongValue } from "../errors/base.js";
import { checkOption, flagRule, methodsRule, type OptionRule } from "../errors/options.js";
import type { Redactor } from "../errors/redactor.js";
import type { JournalError } from "../errors/task-errors.js";
import type { Journal } from "./journal.js";

/** The journal options of `run`, `runAll` and `create`, without the key. */
export interface JournalOptions {
  /**
   * Where this run is recorded, so that no request is charged twice; it requires `journalKey`. The intent is written
   * before the first byte of the POST is sent, and the task once it is known. A run with a key whose task is recorded
   * waits for that task and sends nothing. A run with a key whose outcome is unknown rejects with
   * `SubmissionOutcomeUnknownError` and sends nothing. A refusal leaves the key free.
   */
  journal?: Journal | undefined;
  /**
   * Reads `usage.tasks_created` before the POST, and again once its outcome is unknown, so that the error can state what
   * the difference shows. It requires `journal`, and costs one more request. A later run with the key has evidence only if
   * the run that sent the POST had `probe` as well. If the read before the POST fails, the run rejects with its error and sends
   * nothing.
   *
   * @defaultValue false
   */
  probe?: boolean | undefined;
  /**
   * Called at the end of a run whose task the journal could not record: neither at once, nor after pauses of 1, 2, 4, 8 and 16 s,
   * nor at the end. The run itself continues to its result; save the error's `taskId` elsewhere. If it returns a promise, the run ends
   * once that has settled.
   */
  onUnrecorded?: ((error: JournalError) => unknown) | undefined;
}

export const journalRule = (...others: readonly (keyof Journal)[]): OptionRule =>
  methodsRule("get", "put", "delete", ...others);

/** Returns the journal and the key under which a run is recorded; `null` without a journal. */
export function checkJournalOptions(
  { journal, journalKey, probe = false }: JournalOptions & { journalKey?: string | undefined },
  redactor: Redactor,
) {
  const missing = (option: string, user: string, name: string): never => {
    throw invalidOption(option, [{ name: user }, " needs ", { name }]);
  };
  if (journal !== undefined) checkOption("journal", journalRule(), journal);
  checkOption("probe", flagRule, probe);
  if (journalKey === undefined) {
    if (journal !== undefined) missing("journalKey", "journal", "journalKey");
    return probe ? missing("probe", "probe", "journal") : null;
  }
  if (typeof journalKey !== "string" || journalKey === "")
    throw wrongValue("journalKey", "be a string that is not empty", shown(journalKey));
  if (redactor.containsKey(journalKey)) throw wrongValue("journalKey", "not contain the API key");
  if (journal === undefined) return missing("journal", "journalKey", "journal");
  return { journal, key: journalKey, probe };
}
