import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { wrongValue } from "../errors/base.js";
import { type DamagedEntry, isOpenIntent, listOpen } from "../journal/entries.js";
import type { Journal, JournalEntry, JournalRecord } from "../journal/journal.js";
import { listed } from "../journal/listed.js";
import { notesOf } from "../journal/process-notes.js";
import { SharedJournals } from "../journal/shared-journals.js";
import { listUnacknowledged } from "../journal/unacknowledged.js";
import { checkPath } from "./durable.js";
import { createRevisions, DamagedRevision } from "./revisions.js";

/**
 * Disk space of a submission, beside its request. It is reserved before the POST: a full disk then costs nothing. Of a response
 * that does not fit into it, only the fields that the interface states are recorded.
 */
const SUBMISSION_BYTES = 4096;

/**
 * A journal in a directory. The processes of one machine can share it, and it survives `kill -9`, a power cut and a full
 * disk. Calls with the same path return the same journal. Do not use a network drive, where file operations may not be
 * exclusive: for several machines use `redisJournal`, `postgresJournal`, or implement `Journal` on your database.
 *
 * Disk space for the task ID is reserved before the POST, so that a run on a full disk fails before anything is charged. If
 * the directory can't be used or a file in it is damaged, a run rejects with `JournalError` and sends nothing.
 *
 * Directories and files are created for their owner only (0700 and 0600), whatever the umask: an entry contains the request
 * with its prompt.
 *
 * @param path - the directory; it and its parents are created with the first entry
 * @throws `InvalidOptionError` the path is empty, is not a string, or is a URL
 *
 * @example
 * ```ts
 * const journal = fileJournal("songs.journal");
 * const song = await client.tasks.run(request, { journal, journalKey: "order-1" });
 * ```
 */
export function fileJournal(path: string): Required<Journal> {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(checkPath(path)))
    throw wrongValue(
      "path",
      "be a directory, not an address: for a database, use `redisJournal` or `postgresJournal`",
    );
  const directory = resolve(path);
  return journals.get(directory, () => createFileJournal(directory));
}

const journals = new SharedJournals();

function createFileJournal(path: string): Required<Journal> {
  const revisions = createRevisions(path);

  /** If another writer was first, the comparison is repeated with its entry. */
  const replace = async (key: string, entry: JournalEntry | null, previous: string | null) => {
    const directory = directoryOf(key);
    const content = JSON.stringify({ key, entry });
    const shortContent =
      entry?.state === "submitted" ? JSON.stringify({ key, entry: withoutExtras(entry) }) : content;
    const spareBytes =
      entry !== null && isOpenIntent(entry) ? Buffer.byteLength(content) + SUBMISSION_BYTES : 0;
    for (;;) {
      const latest = await revisions.latest(directory);
      if ((parsed(latest).entry?.revision ?? null) !== previous) return false;
      if (await revisions.add(directory, latest, content, spareBytes, shortContent)) return true;
    }
  };

  const journal: Required<Journal> = {
    get: async (key) => parsed(await revisions.latest(directoryOf(key))).entry,
    put: replace,
    delete: (key, revision) => replace(key, null, revision),
    async open() {
      const { entries, damaged } = await readAll(path);
      return listOpen(entries, damaged);
    },
    async unacknowledged(since) {
      return listUnacknowledged((await readAll(path)).entries, since);
    },
  };
  notesOf(journal).takesRealTime = true;
  return journal;
}

/** All that a file journal contains: the entries of closed keys as well. */
export interface FileJournalContent {
  entries: (readonly [key: string, entry: JournalEntry])[];
  damaged: DamagedEntry[];
}

export function readFileJournal(path: string): Promise<FileJournalContent> {
  return readAll(resolve(checkPath(path)));
}

async function readAll(path: string): Promise<FileJournalContent> {
  const revisions = createRevisions(path);
  const content: FileJournalContent = { entries: [], damaged: [] };
  for (const directory of await listed(`in ${path}`, revisions.directories)) {
    if (!DIRECTORY_NAME.test(directory)) continue;
    try {
      const { key, entry } = parsed(await revisions.latest(directory));
      if (entry !== null) content.entries.push([key, entry]);
    } catch (cause) {
      content.damaged.push({ key: keyIn(cause, directory), cause });
    }
  }
  return content;
}

const DIRECTORY_NAME = /^[\da-f]{64}$/;

/** Any string can be a key, but not a file name. JSON keeps lone surrogates apart, which UTF-8 does not. */
function directoryOf(key: string): string {
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
}

/** The key of a damaged revision, if it is still readable. */
function keyIn(cause: unknown, directory: string): string | null {
  const text = cause instanceof DamagedRevision ? cause.text : "";
  const [, json = '""'] = /^\{"key":("(?:[^"\\\p{Cc}]|\\["\\bfnrt]|\\u[\da-f]{4})*")/mu.exec(text) ?? [];
  const key: string = JSON.parse(json);
  return directoryOf(key) === directory ? key : null;
}

function parsed({ content }: { content: string }): { key: string; entry: JournalEntry | null } {
  return content === "" ? { key: "", entry: null } : JSON.parse(content);
}

/** Without a submission, a follower would take a task that its API key cannot read for one that does not exist. */
function withoutExtras(entry: JournalRecord): JournalRecord {
  if (entry.submission === null) return entry;
  const { task_id, type, status, credits_charged, created_at, audio_format } = entry.submission;
  const submission = { task_id, type, status, credits_charged, created_at, audio_format };
  return { ...entry, submission };
}
