import { parseDate } from "../time/date.js";
import { bySince, tenantOf } from "./entries.js";
import type { JournalEntry, JournalRecord, UnacknowledgedOrder } from "./journal.js";

/** The orders among these entries of which no follower has acknowledged the end, oldest first: see `Journal.unacknowledged`. */
export function listUnacknowledged(
  entries: Iterable<readonly [key: string, entry: JournalEntry]>,
  since?: Date,
): UnacknowledgedOrder[] {
  const orders: UnacknowledgedOrder[] = [];
  for (const [key, entry] of entries) {
    if (!isUnacknowledged(entry) || isBefore(entry, since)) continue;
    const { task_id, at, status = null, follower = null, delivery = null } = entry;
    orders.push({ key, task_id, since: at, tenant: tenantOf(entry) ?? null, status, follower, delivery });
  }
  return orders.sort(bySince);
}

/** Whether the end of the task is to be delivered, now or once the task has ended. */
export function isUnacknowledged(entry: JournalEntry): entry is JournalRecord {
  if (entry.state !== "submitted") return false;
  return entry.status === undefined ? entry.acknowledged !== true : entry.acknowledged === false;
}

function isBefore({ at }: JournalRecord, since: Date | undefined): boolean {
  const begunAt = parseDate(at);
  return since !== undefined && begunAt !== null && begunAt < since.getTime();
}
