import { randomUUID } from "node:crypto";
import { type FileHandle, link, lstat, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { isError } from "../contract/thrown.js";
import { shown, wrongValue } from "../errors/base.js";

/** Modes of a directory and a file that only their owner may read. */
export const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;

/** Refuses an empty path, which Node would resolve to the working directory. */
export function checkPath(path: string): string {
  if (typeof path === "string" && path !== "") return path;
  throw wrongValue("path", "be a string that is not empty", shown(path));
}

/** Creates a file. When this resolves, it survives a power cut. */
export async function writeNewFile(path: string, text: string, mode?: number): Promise<void> {
  await writeFile(path, text, { flag: "wx", flush: true, mode });
}

/** Overwrites a file in the disk space that it already has. When this resolves, it survives a power cut. */
export async function overwriteFile(path: string, text: string): Promise<void> {
  await withFile(path, "r+", async (file) => {
    await file.writeFile(text);
    await file.truncate(Buffer.byteLength(text));
    await file.sync();
  });
}

/** Creates a directory and its missing parents. Their names survive a power cut. */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  const target = resolve(path);
  const parent = dirname(target);
  // Not `recursive`: Node hides why a file system refuses a directory, and never returns if that is ENOENT, as in /proc.
  const make = () => mkdir(target, mode).catch(ignoring("EEXIST"));
  await make().catch(async (error) => {
    ignoring("ENOENT")(error);
    if (parent === target) throw error;
    await makeDirectory(parent, mode);
    await make();
  });
  await syncDirectory(parent);
}

/**
 * Makes the names in a directory survive a power cut. Windows does that by itself, and refuses this with the first three codes.
 * File systems without this function refuse it with the others.
 */
export async function syncDirectory(path: string): Promise<void> {
  const refusals = ["EPERM", "EISDIR", "EACCES", "EINVAL", "ENOTSUP", "ENOSYS"];
  await withFile(path, "r", (file) => file.sync()).catch(ignoring(...refusals));
}

/** The path can't be used without `overwrite` or `unique`. The message says why. */
export class PathTaken extends Error {}

/** The absolute paths that calls of this process are writing. An empty file there would outlive a killed process. */
const reserved = new Set<string>();

/**
 * Writes a file completely or not at all: `write` fills and syncs a draft in the same directory, which is moved to the path
 * when it is complete. Creates missing directories. Returns the path of the file, which then survives a power cut.
 *
 * @throws PathTaken before `write` is called, unless another process creates the file meanwhile
 */
export async function writeWholeFile(
  path: string,
  write: (draft: string) => Promise<void>,
  { overwrite = false, unique = false }: { overwrite?: boolean | undefined; unique?: boolean | undefined },
): Promise<string> {
  const target = resolve(path);
  const directory = dirname(target);
  // A long file name leaves no space for a suffix, so the draft has a name of its own.
  const draft = join(directory, `${randomUUID()}.part`);
  const reserves = !overwrite && !unique;
  if (reserves) {
    if (reserved.has(target)) throw new PathTaken(`another call is saving ${path}`);
    reserved.add(target);
  }
  try {
    if (reserves && (await exists(path))) throw new PathTaken(`${path} already exists`);
    if (!(await exists(directory))) await makeDirectory(directory);
    await write(draft);
    const taken = overwrite
      ? await rename(draft, path).then(() => path)
      : await moveToFirstFreePath(draft, path, unique);
    await syncDirectory(directory);
    return taken;
  } finally {
    if (reserves) reserved.delete(target);
    // If the draft could not be created, removing it may fail as well. The first error is the one to report.
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** With `unique`, the path or the first numbered one that is free. @throws PathTaken */
async function moveToFirstFreePath(draft: string, path: string, unique: boolean): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : numbered(path, number);
    if (unique && reserved.has(resolve(candidate))) continue;
    if (await moveToFreePath(draft, candidate)) return candidate;
    if (!unique) throw new PathTaken(`${path} was created while it was being saved`);
  }
}

/** An error handler that returns undefined for these error codes, and rethrows others. */
export function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    const code: unknown = isError(error) ? Reflect.get(error, "code") : null;
    if (!codes.some((each) => each === code)) throw error;
  };
}

export async function exists(path: string): Promise<boolean> {
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
    // Either the path is taken, or the file system has no hard links (exFAT). Exclusive creation distinguishes the two.
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

/** Opens a file for `work`, and closes it. */
export async function withFile(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
