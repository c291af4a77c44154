import { isFreed } from "./is-journal-entry.js";
import type { JournalEntry, OpenOrder } from "./journal.js";

/** The open keys among these entries, oldest first. */
export function listOpen(entries: Iterable<readonly [key: string, entry: JournalEntry]>): OpenOrder[] {
  return [...entries]
    .filter(([, entry]) => (entry.state === "intent" ? !isFreed(entry) : entry.status === undefined))
    .map(([key, entry]) => ({
      key,
      state: entry.state,
      task_id: entry.state === "submitted" ? entry.task_id : null,
      request_id: entry.request_id,
      since: entry.at,
    }))
    .sort((one, other) => one.since.localeCompare(other.since) || one.key.localeCompare(other.key));
}
