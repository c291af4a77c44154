import { createHash, randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AUDIO_EXTENSION } from "../src/audio/format.js";
import { EXPIRED_ADDRESS } from "../src/audio/request.js";
import { sentence } from "../src/contract/message.js";
import { isTaskType, USUAL_CLIPS } from "../src/contract/service.js";
import { messageOfThrown } from "../src/contract/thrown.js";
import { partsOf } from "../src/errors/base.js";
import {
  type AsyncMusic,
  AsyncMusicError,
  AudioDownloadError,
  AudioExpiredError,
  type AudioExtension,
  type Clip,
  expiresAt,
  isLyrics,
  type Lyrics,
  type SucceededTask,
  type TaskType,
} from "../src/index.js";
import { exists, ignoring, PathTaken, writeNewFile, writeWholeFile } from "../src/node/durable.js";
import { saveAudio } from "../src/node/index.js";
import { parseDate } from "../src/time/date.js";
import { UsageError } from "./terminal.js";

/** The media type of saved audio, by the extension of its file. */
const MEDIA_TYPES: Readonly<Record<AudioExtension, string>> = {
  ...{ mp3: "audio/mpeg", wav: "audio/wav", flac: "audio/flac", ogg: "audio/ogg", m4a: "audio/mp4" },
  bin: "application/octet-stream",
};
export const EXTENSIONS = Object.keys(MEDIA_TYPES);

/** The longest suffix that a file name gets. */
const LONGEST_SUFFIX = "-2.flac";

/** Where the results of a task are saved. */
export interface SaveTarget {
  /** The path of a result, counted from 0, without its extension. In a directory, title and ID make the name. */
  pathFor(index: number, title: string, id: string): string;
  /** In a directory, an existing file of the same name is the same result. */
  readonly isDirectory: boolean;
  /** Replace existing files. */
  readonly force: boolean;
}

/** How results are saved. */
export interface Saving {
  client: AsyncMusic;
  target: SaveTarget;
  signal: AbortSignal;
  /** The time of the client's clock. */
  now(): number;
}

export interface SavedFile {
  path: string;
  content_type: string;
  /** `null` for lyrics. */
  clip_id: string | null;
}

export interface Saved {
  file: SavedFile;
  title?: string | undefined;
  seconds?: number | undefined;
  /** `false` if an earlier command saved it. */
  isNew: boolean;
}

/**
 * The target of `--out`. Before the task is created, checks that files can be created there, and that none would be
 * overwritten without `force`.
 *
 * @param type - what the task makes, or `null` if that is unknown
 */
export async function chooseTarget(out = ".", type: TaskType | null, force: boolean): Promise<SaveTarget> {
  if (out === "") throw new UsageError("--out is empty. Pass a directory or a file.");
  const isDirectory = /[/\\]$/.test(out) || (await statOf(out))?.isDirectory() === true;
  await checkWritable(isDirectory ? out : dirname(out));
  if (isDirectory)
    return { pathFor: (_, title, id) => join(out, `${slug(title)}-${nameHash(id)}`), isDirectory, force };
  await statOf(`${out}${LONGEST_SUFFIX}`);
  const pathFor = (index: number) => (index === 0 ? out : `${out.replace(AUDIO_EXTENSION, "")}-${index + 1}`);
  if (type !== null && !force) await checkFree(type, pathFor);
  return { pathFor, isDirectory, force };
}

/** Saves the results of a task. A clip that fails does not stop the others. */
export async function saveResult(
  task: SucceededTask,
  saving: Saving,
  onSaved: (saved: Saved) => void,
): Promise<void> {
  const { target, signal } = saving;
  if (isLyrics(task)) return onSaved(await saveLyrics(task.output.result, target, task.task_id));
  const clips = clipsOf(task);
  if (clips === null)
    throw new AsyncMusicError(
      `Failed to save task ${task.task_id}: this version of async-music does not support its type. Pass --no-download to print its result.`,
      { taskId: task.task_id },
    );
  if (clips.length === 0)
    throw new AsyncMusicError(`Failed to save task ${task.task_id}: it succeeded without clips.`, {
      taskId: task.task_id,
    });
  const failures: unknown[] = [];
  for (const [index, clip] of clips.entries()) {
    const label = labelOf(clip);
    try {
      const path = target.pathFor(index, label.title ?? task.type, clip.id);
      onSaved({ ...(await saveClip(task, clip, path, saving)), ...label });
    } catch (failure) {
      signal.throwIfAborted();
      failures.push(failure);
    }
  }
  if (failures.length === 0) return;
  // A failure that can be retried is more useful than an expired URL.
  const failure = failures.find((each) => !(each instanceof AudioExpiredError)) ?? failures[0];
  if (!(failure instanceof AudioExpiredError) || (await hasExpired(task, saving))) throw failure;
  signal.throwIfAborted();
  throw missingError(failure);
}

/** Before that time, a 404 may be an outage: the audio is paid for, so it is tried again. */
async function hasExpired(task: SucceededTask, { client, signal, now }: Saving): Promise<boolean> {
  const at = expiresAt(task);
  if (at === null) return false;
  try {
    // The clock of this machine may be wrong, and another order is charged.
    const { response } = await client.tasks.retrieve(task.task_id, { signal }).withResponse();
    return (parseDate(response.headers.get("Date")) ?? now()) >= at.getTime();
  } catch {
    return false;
  }
}

function missingError(cause: AudioExpiredError): AudioDownloadError {
  const facts = ["This may be temporary: audio is available for seven days after its task completed."];
  return new AudioDownloadError({ ...partsOf(cause), facts }, { url: cause.url, status: 404, cause });
}

/** The clips of a task; `null` for lyrics and for an unknown type. */
export function clipsOf(task: SucceededTask): Clip[] | null {
  return isKnown(task) && !isLyrics(task) ? task.output.result : null;
}

function isKnown(task: SucceededTask): task is SucceededTask<TaskType> {
  return isTaskType(task.type);
}

/** The title and the length of a clip. Clips may lack these, or have something else there. */
export function labelOf(clip: Clip): Pick<Saved, "title" | "seconds"> {
  const [title, duration]: unknown[] = [clip.title, clip.metadata?.duration];
  return {
    title: typeof title === "string" ? title : undefined,
    seconds: typeof duration === "number" ? duration : undefined,
  };
}

async function saveClip(
  task: SucceededTask,
  clip: Clip,
  path: string,
  { client, target: { force, isDirectory }, signal }: Saving,
): Promise<Saved> {
  const savedBefore = async (): Promise<Saved | null> => {
    const earlier = isDirectory && !force ? await findSaved(path) : null;
    return earlier && { file: { ...earlier, clip_id: clip.id }, isNew: false };
  };
  const before = await savedBefore();
  if (before !== null) return before;
  const download = await client.audio.download(clip, { signal }).catch(async (error: unknown) => {
    const renewed = await renewedClip(client, task, clip, error, signal);
    if (renewed === null) throw error;
    return client.audio.download(renewed, { signal });
  });
  try {
    const saved = await saveAudio(download, path, { overwrite: force });
    return { file: { path: saved, content_type: download.contentType, clip_id: clip.id }, isNew: true };
  } catch (error) {
    // Another process with the same order may have saved the clip meanwhile.
    const meanwhile = Object(error).cause instanceof PathTaken ? await savedBefore() : null;
    if (meanwhile === null) throw error;
    return meanwhile;
  }
}

/** The clip with the address that another read of its task has, if its own has expired; `null` if that is the same one. */
async function renewedClip(
  client: AsyncMusic,
  { task_id }: SucceededTask,
  { id, audio_url }: Clip,
  error: unknown,
  signal: AbortSignal,
): Promise<Clip | null> {
  if (!(error instanceof AudioDownloadError) || !EXPIRED_ADDRESS.includes(error.status)) return null;
  // The failure of the download says more than that of the read.
  const task = await client.tasks.retrieve(task_id, { signal }).catch(() => null);
  signal.throwIfAborted();
  const clips = task?.status === "success" ? clipsOf(task) : null;
  const renewed = clips?.find((each) => each.id === id);
  return renewed === undefined || renewed.audio_url === audio_url ? null : renewed;
}

/** The audio that an earlier command saved at a path without its extension. */
async function findSaved(path: string): Promise<Pick<SavedFile, "path" | "content_type"> | null> {
  for (const [extension, content_type] of Object.entries(MEDIA_TYPES)) {
    const file = `${path}.${extension}`;
    if (await exists(file)) return { path: file, content_type };
  }
  return null;
}

async function saveLyrics({ title, text }: Lyrics, target: SaveTarget, taskId: string): Promise<Saved> {
  const path = textPath(target.pathFor(0, title, taskId));
  const content = text.endsWith("\n") ? text : `${text}\n`;
  const write = (draft: string) => writeNewFile(draft, content);
  const isNew = await writeWholeFile(path, write, { overwrite: target.force }).then(
    () => true,
    (cause: unknown) => {
      const isTaken = cause instanceof PathTaken;
      if (isTaken && target.isDirectory) return false;
      const why = isTaken
        ? "the file exists. Choose another --out, or add --force."
        : `${sentence(messageOfThrown(cause))} Fix the path or the disk.`;
      throw new Error(`Failed to save lyrics to ${path}: ${why}`, { cause });
    },
  );
  return { file: { path, content_type: "text/plain; charset=utf-8", clip_id: null }, title, isNew };
}

/** The path of lyrics: `.txt` unless the path has an extension, which begins with a letter. */
function textPath(path: string): string {
  return /\.[a-z]\w*$/i.test(path) ? path : `${path}.txt`;
}

/** `saveAudio` refuses the files that this check did not find before the task was created. */
async function checkFree(type: TaskType, pathFor: (index: number) => string): Promise<void> {
  const paths = type === "lyrics" ? [textPath(pathFor(0))] : [];
  for (const index of await possibleClips(type, dirname(pathFor(0)))) {
    const stem = pathFor(index).replace(AUDIO_EXTENSION, "");
    paths.push(...EXTENSIONS.map((extension) => `${stem}.${extension}`));
  }
  for (const path of paths) {
    if (await exists(path))
      throw new UsageError(
        `${path} exists. Choose another --out, or add --force to replace it. Nothing was sent.`,
      );
  }
}

/** The indexes of the clips that a task may make: of a song also those beyond the usual ones whose number a file has. */
async function possibleClips(type: TaskType, directory: string): Promise<Set<number>> {
  const indexes = new Set(Array.from({ length: USUAL_CLIPS[type] }, (_, index) => index));
  if (type !== "music") return indexes;
  // A directory that can be written may still be unreadable.
  for (const name of await readdir(directory).catch(() => [])) {
    // A longer number, such as a year, is no number of a clip.
    for (const [, number] of name.matchAll(/-([1-9]\d?)(?!\d)/g)) indexes.add(Number(number) - 1);
  }
  return indexes;
}

/** Creates and removes a file in the directory, or in its nearest parent that exists. */
export async function checkWritable(directory: string): Promise<void> {
  let existing = directory;
  while (dirname(existing) !== existing && (await statOf(existing)) === undefined)
    existing = dirname(existing);
  const probe = join(existing, `${randomUUID()}.part`);
  // Synchronous, so that a signal which ends the process hardly ever leaves the file behind.
  try {
    writeFileSync(probe, "", { flag: "wx" });
    rmSync(probe);
  } catch (error) {
    cannotSave(directory)(error);
  }
}

async function statOf(path: string) {
  return stat(path).catch(ignoring("ENOENT")).catch(cannotSave(path));
}

function cannotSave(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new UsageError(`Failed to save in ${path}: ${sentence(messageOfThrown(cause))} Nothing was sent.`, {
      cause,
    });
  };
}

/** A file name from a title of the service, which must not contain path separators. */
function slug(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, "-");
  // Cut by code points: half a surrogate pair has no UTF-8.
  return Array.from(words).slice(0, 40).join("").replaceAll(/^-|-$/g, "") || "untitled";
}

/** IDs often begin alike, so a prefix would make two songs overwrite each other. */
function nameHash(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 8);
}
