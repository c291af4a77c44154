import { createHash } from "node:crypto";
import { access, constants, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../usage-error.js";

/** What the name of a second clip has more than the one that was given. */
const LONGEST_ENDING = "-2.flac";

/** Where the results of a task go. */
export interface Place {
  /** The path for the n-th result, from 0, without its extension; `name` and `id` tell it from others in a folder. */
  pathFor(index: number, name: string, id: string): string;
}

/**
 * The place that `--out` names. Nothing is made yet, but it is looked at, so that a place where nothing can be saved is
 * known before anything is paid for.
 */
export async function choosePlace(out = "."): Promise<Place> {
  if (out === "") throw new UsageError("Expected --out to be a folder or a file, got an empty text");
  const isFolder = /[/\\]$/.test(out) || (await isDirectory(out));
  await checkWritable(isFolder ? out : dirname(out));
  if (isFolder) return { pathFor: (_, name, id) => join(out, `${slug(name)}-${markOf(id)}`) };
  await checkName(`${out}${LONGEST_ENDING}`);
  return { pathFor: (index) => (index === 0 ? out : out.replace(/(\.\w+)?$/, `-${index + 1}$1`)) };
}

/** Looks whether there can be a file of that name. */
async function checkName(path: string): Promise<void> {
  await stat(path).catch((error: unknown) => {
    if (!isMissing(error)) throw cannotSave(path, error);
  });
}

/** Looks at the folder, or at the nearest one above that exists, in which it will be made. */
async function checkWritable(folder: string): Promise<void> {
  const path = resolve(folder);
  try {
    if (!(await stat(path)).isDirectory()) throw new Error("it is no folder");
    await access(path, constants.W_OK);
  } catch (error) {
    if (isMissing(error) && dirname(path) !== path) return checkWritable(dirname(path));
    throw cannotSave(`in ${path}`, error);
  }
}

function cannotSave(place: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Failed to save ${place}: ${reason}. Nothing was sent`, { cause });
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** A part of a file name: what comes from the service must not lead anywhere else. */
function slug(text: string): string {
  const words = text.toLowerCase().replaceAll(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, "-");
  // By whole characters: the half of one has no UTF-8, and a file's name would be another than is told.
  return Array.from(words).slice(0, 40).join("").replaceAll(/^-|-$/g, "") || "untitled";
}

/** Short, and another for each id: of some kinds many begin alike, and a song must not be saved over another. */
function markOf(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 8);
}
