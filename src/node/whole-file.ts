import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { ignoring } from "./durable.js";

/** What to do if the path is taken. Without either, nothing is written. */
export interface IfTaken {
  overwrite?: boolean | undefined;
  unique?: boolean | undefined;
}

/**
 * Writes a file completely or not at all: `write` fills a draft in the same directory, which is moved to the path when
 * it is complete. Creates missing directories. Returns the path of the file, or null if the path is taken.
 */
export async function writeWholeFile(
  path: string,
  write: (draft: string) => Promise<void>,
  { overwrite = false, unique = false }: IfTaken = {},
): Promise<string | null> {
  // Refuses early, before the bytes are read. `moveToFreePath` is the check that decides.
  if (!overwrite && !unique && (await exists(path))) return null;
  const directory = dirname(resolve(path));
  // A long file name leaves no room for a suffix, so the draft has a name of its own.
  const draft = join(directory, `${randomUUID()}.part`);
  try {
    await mkdir(directory, { recursive: true });
    await write(draft);
    if (overwrite) {
      await rename(draft, path);
      return path;
    }
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? path : numbered(path, number);
      if (await moveToFreePath(draft, candidate)) return candidate;
      if (!unique) return null;
    }
  } finally {
    // If the draft could not be created, removing it may fail as well. The first error is the one to report.
    await rm(draft, { force: true }).catch(() => {});
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoring("ENOENT", "ENOTDIR"))) !== undefined;
}

/** "rain.mp3" becomes "rain-2.mp3". */
function numbered(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}

/** Returns false if the path is taken. Of several writers, only one gets the path. */
async function moveToFreePath(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch {
    // Either the path is taken, or the file system has no hard links (exFAT). Exclusive creation tells which.
    const file = await open(path, "wx").catch(ignoring("EEXIST"));
    if (file === undefined) return false;
    await file.close();
    try {
      await rename(draft, path);
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
    return true;
  }
}
