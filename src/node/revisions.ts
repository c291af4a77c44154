import { createHash, randomUUID } from "node:crypto";
import { link, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { AsyncMusicError } from "../errors/base.js";
import {
  ignoring,
  makeDirectory,
  overwriteFile,
  PRIVATE_DIRECTORY,
  PRIVATE_FILE,
  syncDirectory,
  writeNewFile,
} from "./durable.js";

/** A revision that can't be read, with as much of its text as there is. */
export class DamagedRevision extends AsyncMusicError {
  readonly text: string;

  constructor(file: string, text: string) {
    super(
      `Failed to read ${file}: it is damaged. Restore it, or remove it once you know whether its task exists.`,
    );
    this.text = text;
  }
}

/** One version of a text. Number 0 is the empty text before the first one. */
interface Revision {
  number: number;
  content: string;
}

/**
 * Strings with compare-and-set: a directory per string, and in it a file per revision, named by its number. A revision is
 * written as a draft and then linked to its number, which succeeds for one writer only. So there is no lock that a killed
 * process could leave behind, and no numbered file is ever incomplete.
 */
export function createRevisions(path: string) {
  return {
    directories: () => namesIn(path),

    /** @throws DamagedRevision */
    async latest(name: string): Promise<Revision> {
      let missing = 0;
      for (;;) {
        const directory = join(path, name);
        const number = highest(await namesIn(directory));
        if (number === 0) return { number, content: "" };
        const file = join(directory, String(number));
        const text = await readFile(file, "utf8").catch(ignoring("ENOENT"));
        if (text !== undefined) return { number, content: unseal(text, file) };
        // A newer revision has replaced it, unless it is listed again: then it is a link to nothing.
        if (number === missing) throw new DamagedRevision(file, "");
        missing = number;
      }
    },

    /**
     * Replaces `latest` durably. Returns false if another writer was first. With `spareBytes`, disk space for the next
     * revision is reserved. A content that does not fit into the space that was reserved for it is replaced by the short one.
     */
    async add(
      name: string,
      latest: Revision,
      content: string,
      spareBytes: number,
      shortContent = content,
    ): Promise<boolean> {
      const directory = join(path, name);
      const number = latest.number + 1;
      const draft = join(directory, `${number}.${randomUUID()}`);
      const spare = join(directory, spareName(number + 1, content));
      if (latest.number === 0) await makeDirectory(directory, PRIVATE_DIRECTORY);
      let isAdded = false;
      try {
        if (spareBytes > 0) await writeNewFile(spare, " ".repeat(spareBytes), PRIVATE_FILE);
        const reserved = join(directory, spareName(number, latest.content));
        await writeDraft(draft, reserved, content, shortContent);
        isAdded = await linkAsLatest(directory, draft, number);
      } finally {
        if (!isAdded) await Promise.all([draft, spare].map(remove));
      }
      return isAdded;
    },
  };
}

/** Writes a draft into the reserved disk space, if there is any: the short content, if the disk is too full for the other one. */
async function writeDraft(
  draft: string,
  spare: string,
  content: string,
  shortContent: string,
): Promise<void> {
  const isReserved = await rename(spare, draft).then(() => true, ignoring("ENOENT"));
  if (!isReserved) return writeNewFile(draft, seal(content), PRIVATE_FILE);
  const isWritten = await overwriteFile(draft, seal(content)).then(() => true, ignoring("ENOSPC", "EDQUOT"));
  if (!isWritten) await overwriteFile(draft, seal(shortContent));
}

async function linkAsLatest(directory: string, draft: string, number: number): Promise<boolean> {
  const file = join(directory, String(number));
  // ENOENT: the writer that was first has removed the draft.
  const isLinked = await link(draft, file).then(() => true, ignoring("EEXIST", "ENOENT"));
  if (!isLinked) return false;

  const names = await namesIn(directory);
  if (highest(names) !== number) {
    // A stalled writer may have linked a stale revision; remove it.
    await remove(file);
    return false;
  }
  await syncDirectory(directory);
  const replaced = names.filter((name) => numberOf(name) <= number && name !== String(number));
  await Promise.all(replaced.map((name) => remove(join(directory, name))));
  return true;
}

/** The name of the space that was reserved together with the previous content: no other writer uses it. */
function spareName(number: number, previousContent: string): string {
  return `${number}.spare-${checksumOf(previousContent)}`;
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(ignoring("ENOENT"))) ?? [];
}

/** Ignores foreign files such as `07`, and numbers that are too long to be exact. */
function highest(names: readonly string[]): number {
  return Math.max(0, ...names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number));
}

/** The number of a revision, a draft or reserved space. A foreign file counts as newer, so that it is never removed. */
function numberOf(name: string): number {
  return /^[1-9]\d{0,14}(?=$|\.)/.test(name) ? Number.parseInt(name, 10) : Number.POSITIVE_INFINITY;
}

/** A file that can't be removed now is removed with the next revision. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => {});
}

/** Adds a checksum, so that damage is detected. */
function seal(content: string): string {
  return `${checksumOf(content)}\n${content}\n`;
}

function unseal(text: string, file: string): string {
  const content = text.slice(text.indexOf("\n") + 1, -1);
  if (text === seal(content)) return content;
  throw new DamagedRevision(file, text);
}

function checksumOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
