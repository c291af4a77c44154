import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  ignoring,
  makePrivateDirectory,
  overwriteFile,
  PRIVATE_FILE,
  syncFolder,
  writeNewFile,
} from "./durable.js";
import { checksumOf, seal, unseal } from "./seal.js";

/** One state of a text: number 0, and empty, before the first. */
export interface Revision {
  number: number;
  content: string;
}

/**
 * Texts that replace one another: a folder for each, and in it a file for each revision, named by its number. A
 * revision is written as a draft and then linked to its number, which succeeds for one writer only. So no lock is ever
 * held that a killed process could leave behind, and no file with a number is ever half written.
 */
export interface Revisions {
  /** The folders that there are. */
  folders(): Promise<string[]>;
  /** @throws Error when the file is damaged. */
  latest(folder: string): Promise<Revision>;
  /**
   * Puts a text in the place of `latest`, durably; `false` where somebody else has come before. With `spareBytes`, that
   * much room is set aside on the disk for what will take the place of this one.
   */
  add(folder: string, latest: Revision, content: string, spareBytes: number): Promise<boolean>;
}

export function createRevisions(path: string): Revisions {
  return {
    folders: () => namesIn(path),

    async latest(name) {
      for (;;) {
        const folder = join(path, name);
        const number = highest(await namesIn(folder));
        if (number === 0) return { number, content: "" };
        const file = join(folder, String(number));
        const text = await readFile(file, "utf8").catch(ignoring("ENOENT"));
        // Otherwise a newer one has come, and this one was cleared away.
        if (text !== undefined) return { number, content: unseal(text, file) };
      }
    },

    async add(name, latest, content, spareBytes) {
      const folder = join(path, name);
      const number = latest.number + 1;
      const draft = join(folder, `${number}.${randomUUID()}`);
      const spare = join(folder, spareName(number + 1, content));
      if (latest.number === 0) await makePrivateDirectory(folder);
      let isPut = false;
      try {
        if (spareBytes > 0) await writeNewFile(spare, " ".repeat(spareBytes), PRIVATE_FILE);
        await writeDraft(draft, join(folder, spareName(number, latest.content)), seal(content));
        isPut = await linkAsLatest(folder, draft, number);
      } finally {
        if (!isPut) await Promise.all([draft, spare].map(remove));
      }
      return isPut;
    },
  };
}

/** Writes a draft into the room that was set aside for it, where there is such. */
async function writeDraft(draft: string, spare: string, text: string): Promise<void> {
  const isTaken = await rename(spare, draft).then(() => true, ignoring("ENOENT"));
  await (isTaken ? overwriteFile(draft, text) : writeNewFile(draft, text, PRIVATE_FILE));
}

async function linkAsLatest(folder: string, draft: string, number: number): Promise<boolean> {
  const file = join(folder, String(number));
  // A draft that is gone was cleared away by whoever has come before.
  const isLinked = await link(draft, file).then(() => true, ignoring("EEXIST", "ENOENT"));
  if (!isLinked) return false;

  const names = await namesIn(folder);
  if (highest(names) !== number) {
    // Who slept since they looked may find a number free again that was long passed: nobody reads it.
    await remove(file);
    return false;
  }
  await syncFolder(folder);
  const passed = names.filter((name) => numberOf(name) <= number && name !== String(number));
  await Promise.all(passed.map((name) => remove(join(folder, name))));
  return true;
}

/** What was set aside by the one who wrote this content; nobody else knows the name. */
function spareName(number: number, previousContent: string): string {
  return `${number}.spare-${checksumOf(previousContent)}`;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoring("ENOENT"))) ?? [];
}

function highest(names: readonly string[]): number {
  return Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
}

/** The number of a revision, and of what is a draft or room for it; what is none of ours is never passed. */
function numberOf(name: string): number {
  return /^\d+(?=$|\.)/.test(name) ? Number.parseInt(name, 10) : Number.POSITIVE_INFINITY;
}

/** What is left behind is cleared away with the next revision. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => {});
}
