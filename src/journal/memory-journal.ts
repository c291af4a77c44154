import type { Journal, JournalEntry } from "./journal.js";
import { listOpen } from "./open-orders.js";

/**
 * A journal that lasts as long as this process does: for tests, and so that no run of one process repeats another's.
 *
 * @example
 * ```ts
 * const journal = memoryJournal();
 * const song = await client.tasks.run(request, { journal, journalKey: "order-1" });
 * ```
 */
export function memoryJournal(): Required<Journal> {
  const entries = new Map<string, JournalEntry>();
  const revisionAt = (key: string) => entries.get(key)?.revision ?? null;

  return {
    async get(key) {
      return structuredClone(entries.get(key) ?? null);
    },
    async put(key, entry, previous) {
      if (revisionAt(key) !== previous) return false;
      entries.set(key, structuredClone(entry));
      return true;
    },
    async delete(key, revision) {
      return revisionAt(key) === revision && entries.delete(key);
    },
    async open() {
      return listOpen(entries);
    },
  };
}
