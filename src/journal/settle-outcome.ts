import { isUuid } from "../contract/text.js";
import { shown, wrongValue } from "../errors/base.js";
import { createRedactor } from "../errors/redactor.js";
import { isFreed } from "./entries.js";
import type { Journal, JournalEntry } from "./journal.js";
import { waitForKey } from "./key-queue.js";
import { checkJournalOptions } from "./options.js";
import { newRevision, Slot } from "./slot.js";

/** Entries contain no API key, so messages need no redaction. */
const NO_SECRET = createRedactor("");

/**
 * Settles a key whose run ended in a `SubmissionOutcomeUnknownError`, once you have found out whether its POST created a task:
 * from the error's `evidence`, or from the service by the request id. With a task id, the next run with the key waits
 * for that task and sends nothing. With `null` the key is free: the next run creates a task, and pays.
 *
 * A wrong settlement can be replaced: call it again with the right id, or with `null`. That includes a key that was freed by
 * mistake, until a run takes it. An id that the service itself returned for the key is never replaced.
 *
 * This call sends nothing. Check the task with `client.tasks.retrieve` first: its type and its input must be the ones of
 * your request. While a run of this process has its POST in flight, this call waits for it. Don't call it while another
 * process may still be sending, or before the `checkAgainAt` of the error: with `null`, the next run could create a second task.
 *
 * @param journal - The journal of the run.
 * @param journalKey - Its key.
 * @param taskId - The id of the task that was created, a UUID, or `null` if none was.
 * @returns `true` if the key is settled this way now. `false`, and nothing is changed, if the key holds nothing, or holds
 * another task id that the service returned.
 * @throws `InvalidOptionError` if the journal, the key or the id is malformed; `JournalError` if the journal fails.
 *
 * @example
 * ```ts sketch
 * import { settleOutcome } from "async-music";
 *
 * await client.tasks.retrieve(taskId); // throws TaskNotFoundError if the account has no such task
 * await settleOutcome(journal, "order-1", taskId);
 * ```
 */
export async function settleOutcome(
  journal: Journal,
  journalKey: string,
  taskId: string | null,
): Promise<boolean> {
  checkJournalOptions({ journal, journalKey }, NO_SECRET);
  if (taskId !== null && !(typeof taskId === "string" && isUuid(taskId)))
    throw wrongValue("taskId", "be a task ID (a UUID), or null if no task was created", shown(taskId));
  const release = await waitForKey(journal, journalKey, undefined);
  try {
    // The service writes ids in lower case.
    return await settle(new Slot(journal, journalKey, NO_SECRET), taskId?.toLowerCase() ?? null);
  } finally {
    release();
  }
}

async function settle(slot: Slot, taskId: string | null): Promise<boolean> {
  const entry = await slot.read();
  if (entry === null) return false;
  if (entry.state === "submitted" && entry.task_id.toLowerCase() === taskId) return true;
  if (entry.state === "submitted" && entry.settled !== true) return false;
  if (taskId === null && isFreed(entry)) return true;
  if (await slot.put(settlementOf(entry, taskId), entry.revision)) return true;
  // A run may just have recorded how the task ended. An entry of another POST is not the one to settle.
  const latest = await slot.read();
  const isSamePost = latest?.request_id === entry.request_id && latest.revision !== entry.revision;
  return isSamePost && settle(slot, taskId);
}

/** A freed key keeps its request, so that a wrong decision can be corrected. */
export function settlementOf(
  { request, request_id, at, tasks_created, timeout_ms, reservation }: JournalEntry,
  taskId: string | null,
): JournalEntry {
  const limit = timeout_ms === undefined ? {} : { timeout_ms };
  // So that the budget can free it, or settle it after a correction.
  const held = reservation === undefined ? {} : { reservation };
  const sent = { request, request_id, at, tasks_created, ...limit, ...held };
  const fields = { ...sent, revision: newRevision(), settled: true } as const;
  return taskId === null
    ? { ...fields, state: "intent" }
    : { ...fields, state: "submitted", task_id: taskId, submission: null };
}
