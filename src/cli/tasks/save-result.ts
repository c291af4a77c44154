import {
  type AsyncMusic,
  AsyncMusicError,
  AudioExpiredError,
  type Clip,
  isLyrics,
  type Lyrics,
  type SucceededTask,
} from "../../index.js";
import { writeNewFile } from "../../node/durable.js";
import { saveAudio } from "../../node/index.js";
import { writeWholeFile } from "../../node/whole-file.js";
import { exists, type Place, textPath } from "./place.js";

/** A file that holds a result of a task. */
export interface SavedFile {
  path: string;
  content_type: string;
  /** `null` of lyrics, which are no clip. */
  clip_id: string | null;
}

/** A file and what is said of it. */
interface Saved {
  file: SavedFile;
  title: string | undefined;
  seconds: number | undefined;
  /** `false` if an earlier command had saved it. */
  isNew: boolean;
}

/** Saves what a task made, one file after the other, and tells each. A clip that can't be had costs none of the others. */
export async function* saveResult(
  client: AsyncMusic,
  task: SucceededTask,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<Saved, void, void> {
  if (isLyrics(task)) {
    const { result } = task.output;
    yield { ...(await saveLyrics(result, place, task.task_id)), title: result.title, seconds: undefined };
    return;
  }
  const clips = clipsOf(task);
  if (clips === null)
    throw new AsyncMusicError(
      `Failed to save task ${task.task_id}: this version does not know its type. Pass --no-download to print its result.`,
      { taskId: task.task_id },
    );
  const failures: unknown[] = [];
  for (const [index, clip] of clips.entries()) {
    const { title, seconds } = toldOf(clip);
    try {
      const path = place.pathFor(index, title ?? task.type, clip.id);
      yield { ...(await saveClip(client, clip, place, path, signal)), title, seconds };
    } catch (failure) {
      signal.throwIfAborted();
      failures.push(failure);
    }
  }
  // What can still be had is to be told before what is gone.
  const worst = failures.find((failure) => !(failure instanceof AudioExpiredError)) ?? failures[0];
  if (failures.length > 0) throw worst;
}

/** The clips of a task; `null` of lyrics, and of a type that this version does not list. */
export function clipsOf(task: SucceededTask): Clip[] | null {
  const makesClips = task.type === "music" || task.type === "upload" || task.type === "concat";
  return makesClips ? task.output.result : null;
}

/** What a clip tells of itself, where it is what it should be: nothing relies on it. */
function toldOf({ title, metadata }: Clip): { title: string | undefined; seconds: number | undefined } {
  const told: { title: unknown; seconds: unknown } = { title, seconds: metadata?.duration };
  return {
    title: typeof told.title === "string" ? told.title : undefined,
    seconds: typeof told.seconds === "number" ? told.seconds : undefined,
  };
}

async function saveClip(
  client: AsyncMusic,
  clip: Clip,
  { force, isNamedById }: Place,
  path: string,
  signal: AbortSignal,
): Promise<Pick<Saved, "file" | "isNew">> {
  const download = await client.audio.download(clip, { signal });
  const file = {
    path: `${path}.${download.extension}`,
    content_type: download.contentType,
    clip_id: clip.id,
  };
  if (isNamedById && !force && (await exists(file.path))) {
    await download.body.cancel();
    return { file, isNew: false };
  }
  return { file: { ...file, path: await saveAudio(download, path, { overwrite: force }) }, isNew: true };
}

async function saveLyrics(
  { title, text }: Lyrics,
  { pathFor, force, isNamedById }: Place,
  taskId: string,
): Promise<Pick<Saved, "file" | "isNew">> {
  const path = textPath(pathFor(0, title, taskId));
  const content = text.endsWith("\n") ? text : `${text}\n`;
  const saved = await writeWholeFile(path, (draft) => writeNewFile(draft, content), { overwrite: force });
  if (saved === null && !isNamedById)
    throw new Error(`Failed to save lyrics: ${path} exists. Choose another --out, or add --force`);
  const file = { path, content_type: "text/plain; charset=utf-8", clip_id: null };
  return { file, isNew: saved !== null };
}
