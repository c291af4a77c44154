import { createHash, randomUUID } from "node:crypto";
import { lstat, open, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { AudioExtension, TaskType } from "../../index.js";
import { UsageError } from "../usage-error.js";

/** What the name of a second clip has more than the one that was given. */
const LONGEST_ENDING = "-2.flac";

const EXTENSIONS = ["mp3", "wav", "flac", "ogg", "m4a", "bin"] as const satisfies readonly AudioExtension[];
const EXTENSION = new RegExp(`\\.(?:${EXTENSIONS.join("|")})$`, "i");

/** How many clips are looked for before a task is paid for. Its real number shows at its end. */
const MOST_CLIPS = 4;

/** Where the results of a task go. */
export interface Place {
  /** The path for the n-th result, from 0, without its extension; `name` and `id` tell it from others in a folder. */
  pathFor(index: number, name: string, id: string): string;
  /** Whether a file of that name is this very result, saved before. */
  readonly isNamedById: boolean;
  /** Whether existing files are replaced. */
  readonly force: boolean;
}

/**
 * The place that `--out` names. Whether files can be created there is tried, and none is there already unless `force`
 * replaces it: a place where nothing can be saved is known before anything is paid for.
 *
 * @param type - What the task makes, if that is known.
 */
export async function choosePlace(
  out = ".",
  { type, force }: { type: TaskType | null; force: boolean },
): Promise<Place> {
  if (out === "") throw new UsageError("Expected --out to be a folder or a file, got an empty text");
  const isFolder = /[/\\]$/.test(out) || (await isDirectory(out));
  await checkWritable(isFolder ? out : dirname(out));
  if (isFolder)
    return { pathFor: (_, name, id) => join(out, `${slug(name)}-${markOf(id)}`), isNamedById: true, force };
  await checkName(`${out}${LONGEST_ENDING}`);
  const pathFor = (index: number) => (index === 0 ? out : out.replace(/(\.\w+)?$/, `-${index + 1}$1`));
  if (type !== null && !force) await checkFree(type, pathFor);
  return { pathFor, isNamedById: false, force };
}

/** The path of lyrics: a file's own extension, or `.txt`. */
export function textPath(path: string): string {
  return /\.\w+$/.test(path) ? path : `${path}.txt`;
}

async function checkFree(type: TaskType, pathFor: (index: number) => string): Promise<void> {
  const stems = Array.from({ length: MOST_CLIPS }, (_, index) => pathFor(index).replace(EXTENSION, ""));
  const clips = stems.flatMap((stem) => EXTENSIONS.map((extension) => `${stem}.${extension}`));
  for (const path of type === "lyrics" ? [textPath(pathFor(0))] : clips) {
    if (await exists(path))
      throw new UsageError(
        `${path} exists. Choose another --out, or add --force to replace it. Nothing was sent`,
      );
  }
}

/** Whether anything has this name. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Looks whether there can be a file of that name. */
async function checkName(path: string): Promise<void> {
  await stat(path).catch((error: unknown) => {
    if (!isMissing(error)) throw cannotSave(path, error);
  });
}

/** Creates a file in the folder, or in the nearest one above that exists, and removes it. */
async function checkWritable(folder: string): Promise<void> {
  const path = resolve(folder);
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error) && dirname(path) !== path) return null;
    throw cannotSave(`in ${path}`, error);
  });
  if (found === null) return checkWritable(dirname(path));
  const trial = join(path, `${randomUUID()}.part`);
  try {
    if (!found.isDirectory()) throw new Error("it is no folder");
    await (await open(trial, "wx")).close();
    await rm(trial);
  } catch (error) {
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
