import { isUuid } from "../contract/text.js";
import { shown, wrongValue } from "../errors/base.js";
import { createRedactor } from "../errors/redactor.js";
import { isFreed } from "./entries.js";
import type { Journal, JournalEntry, JournalFields, JournalRecord } from "./journal.js";
import { waitForKey } from "./key-queue.js";
import { checkJournalOptions } from "./options.js";
import { newRevision, Slot } from "./slot.js";

/** What an intent or a record may have. */
type AnyFields = JournalFields & Partial<Omit<JournalRecord, "state">>;

/** Entries contain no API key, so messages need no redaction. */
const NO_SECRET = createRedactor("");

/** What `settleOutcome` does. */
export async function settleKey(
  journal: Journal,
  journalKey: string,
  taskId: string | null,
): Promise<boolean> {
  checkJournalOptions({ journal, journalKey }, NO_SECRET);
  if (taskId !== null && !(typeof taskId === "string" && isUuid(taskId)))
    throw wrongValue("taskId", "be a task ID (a UUID), or null if no task was created", shown(taskId));
  const release = await waitForKey(journal, journalKey, undefined);
  try {
    // The service writes IDs in lower case.
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

/**
 * A settled key keeps everything about its request, so that a wrong decision can be corrected, its budget can free the reservation,
 * and followers know the customer.
 */
export function settlementOf(entry: JournalEntry, taskId: string | null): JournalEntry {
  const { submission, status, acknowledged, follower, delivery, task_id, ...sent }: AnyFields = entry;
  const fields = { ...sent, revision: newRevision(), settled: true } as const;
  return taskId === null
    ? { ...fields, state: "intent" }
    : { ...fields, state: "submitted", task_id: taskId, submission: null };
}
