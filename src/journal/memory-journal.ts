import { listOpen } from "./entries.js";
import type { Journal, JournalEntry } from "./journal.js";
import { listUnacknowledged } from "./unacknowledged.js";

/**
 * A journal in memory: for tests, and to prevent duplicate runs within one process.
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
    async unacknowledged(since) {
      return structuredClone(listUnacknowledged(entries, since));
    },
  };
}
