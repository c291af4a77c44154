import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { isFreed } from "../journal/is-journal-entry.js";
import type { Journal, JournalEntry } from "../journal/journal.js";
import { listOpen } from "../journal/open-orders.js";
import { SharedJournals } from "../journal/shared-journals.js";
import { checkPath } from "./check-path.js";
import { createRevisions } from "./revisions.js";

/** What a record takes beside the request, in bytes: room for it is set aside while refusing costs nothing. */
const RECORD_BYTES = 4096;

/**
 * A journal in a folder of this machine: safe between processes, and after `kill -9`, a power cut or a full disk. Two
 * journals on one path are one journal. Don't put it on a network drive, where files can't be relied upon to exclude
 * one another: several machines share `redisJournal` of `async-music/redis`, or a `Journal` of yours on their database.
 *
 * Room for the task's id is set aside before the POST leaves, so that a full disk refuses before anything is paid for.
 * A run rejects with `JournalError`, and sends nothing, where the folder can't be used or a file in it is damaged.
 *
 * Directories and files are created for their owner alone (0700 and 0600), whatever the umask: an entry holds the
 * request with its prompt.
 *
 * @param path - the directory; it and its parents are created with the first entry
 * @throws `InvalidOptionError` the path is empty, or no text
 *
 * @example
 * ```ts
 * const journal = fileJournal("songs.journal");
 * const song = await client.tasks.run(request, { journal, journalKey: "order-1" });
 * ```
 */
export function fileJournal(path: string): Required<Journal> {
  const place = resolve(checkPath(path));
  return journals.get(place, () => createFileJournal(place));
}

const journals = new SharedJournals();

function createFileJournal(path: string): Required<Journal> {
  const revisions = createRevisions(path);

  /** Who comes second sees that somebody came first, and looks again whether that was in the way. */
  const replace = async (key: string, entry: JournalEntry | null, previous: string | null) => {
    const folder = folderOf(key);
    const content = JSON.stringify({ key, entry });
    const isSent = entry?.state === "intent" && !isFreed(entry);
    const spareBytes = isSent ? Buffer.byteLength(content) + RECORD_BYTES : 0;
    for (;;) {
      const latest = await revisions.latest(folder);
      if ((entryOf(latest.content)?.revision ?? null) !== previous) return false;
      if (await revisions.add(folder, latest, content, spareBytes)) return true;
    }
  };

  return {
    get: async (key) => entryOf((await revisions.latest(folderOf(key))).content),
    put: replace,
    delete: (key, revision) => replace(key, null, revision),
    async open() {
      const entries: [string, JournalEntry][] = [];
      for (const folder of await revisions.folders()) {
        if (!FOLDER_NAME.test(folder)) continue;
        const { key, entry } = parsed((await revisions.latest(folder)).content);
        if (entry !== null) entries.push([key, entry]);
      }
      return listOpen(entries);
    },
  };
}

const FOLDER_NAME = /^[\da-f]{64}$/;

/** Any text can be a key, and not any text a file name. As JSON, halves of characters stay apart, which have no UTF-8. */
function folderOf(key: string): string {
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
}

function entryOf(content: string): JournalEntry | null {
  return parsed(content).entry;
}

function parsed(content: string): { key: string; entry: JournalEntry | null } {
  return content === "" ? { key: "", entry: null } : JSON.parse(content);
}
