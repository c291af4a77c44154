import { InvalidOptionError, shown } from "../errors/invalid-option-error.js";
import { createRedactor } from "../transport/redactor.js";
import type { Journal } from "./journal.js";
import { checkJournalOptions } from "./options.js";
import { newRevision } from "./revision.js";
import { createSlot, type Slot } from "./slot.js";
import { takeTurn } from "./take-turn.js";

/** A journal holds no API key that would have to be taken out of a message. */
const NO_SECRET = createRedactor("");

/**
 * Settles a key whose run ended in a `SubmissionOutcomeUnknownError`, once you have found out what became of its POST,
 * by the probe's evidence or from the service by the request id. With the task's id the key stands for that task, and a
 * run under it waits for it and sends nothing. With `null` there is no such task and the key is free: a run under it
 * submits anew, and pays. Nothing is sent by this call, and no task is looked up. Don't call it while another process may
 * still be sending: its request would be free to be sent twice.
 *
 * @param journal - The journal of the run.
 * @param journalKey - Its key.
 * @param taskId - The id of the task that was created, or `null` where none was.
 * @returns Whether it was settled: `false`, and nothing is changed, where no intent is under the key, since nothing has
 * begun, or the task is recorded already.
 * @throws `InvalidOptionError` for what is no journal, no key or no id; `JournalError` when the journal fails.
 */
export async function settleOutcome(
  journal: Journal,
  journalKey: string,
  taskId: string | null,
): Promise<boolean> {
  checkJournalOptions({ journal, journalKey }, NO_SECRET);
  if (taskId !== null && (typeof taskId !== "string" || taskId === ""))
    throw new InvalidOptionError(
      "taskId",
      "be the id of a task, or null where none was created",
      shown(taskId),
    );
  // A run of this process whose request is under way comes to its end first.
  const leave = await takeTurn(journal, journalKey, undefined);
  try {
    return await settle(createSlot(journal, journalKey, NO_SECRET), taskId);
  } finally {
    leave();
  }
}

async function settle(slot: Slot, taskId: string | null): Promise<boolean> {
  const intent = await slot.read();
  if (intent?.state !== "intent") return false;
  if (taskId === null) return slot.free(intent.revision);
  const record = { ...intent, revision: newRevision(), task_id: taskId, submission: null };
  return slot.put({ ...record, state: "submitted" }, intent.revision);
}
