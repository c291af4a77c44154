import { open } from "node:fs/promises";
import type { AudioDownload } from "../audio/audio-download.js";
import { AsyncMusicError } from "../errors/async-music-error.js";
import { InvalidOptionError, shown } from "../errors/invalid-option-error.js";
import { checkPath } from "./check-path.js";
import { replaceFile } from "./replace-file.js";

const READ_BEFORE =
  "Failed to save audio: its body was read before, which can be done once. Download it again.";

/** Extensions that a path may already bear, and that the real one takes the place of. */
const AUDIO_EXTENSION = /\.(mp3|wav|flac|ogg|m4a|bin)$/i;

/** What ends in a folder: behind the last slash there is nothing, or this folder, or the one above. */
const NO_NAME = /(?:^|[/\\])\.{0,2}$/;

/**
 * Streams a download to disk, whole or not at all: it is written beside its place and renamed when it is complete, so
 * a file that was there before stays until then. Missing folders are made.
 *
 * @param download - what `client.audio.download` answered, its body not yet read
 * @param path - where to, without the extension: that is the download's own
 * @returns the path of the file
 * @throws `AudioDownloadError` the body broke off; nothing is left on disk
 * @throws `InvalidOptionError` the path is empty, a folder's, or no text; the first argument is no download
 * @throws `AsyncMusicError` the body was read before
 *
 * @example
 * ```ts
 * const path = await saveAudio(await client.audio.download(clip), "songs/rain"); // "songs/rain.mp3"
 * ```
 */
export async function saveAudio(download: AudioDownload, path: string): Promise<string> {
  checkDownload(download);
  if (download.body.locked) throw new AsyncMusicError(READ_BEFORE);
  const target = `${checkName(checkPath(path).replace(AUDIO_EXTENSION, ""))}.${download.extension}`;
  try {
    await replaceFile(target, (draft) => writeWhole(download, draft));
  } catch (error) {
    await download.body.cancel().catch(() => {});
    throw error;
  }
  return target;
}

/** A clip or a promise in its place is easily mistaken where no compiler looks. */
function checkDownload(download: AudioDownload): void {
  if (typeof download?.extension === "string" && typeof download.body?.getReader === "function") return;
  throw new InvalidOptionError(
    "download",
    "be what `await client.audio.download(clip)` answers",
    shown(download),
  );
}

/** Where a title is empty, only its folder is left: song after song would be saved there under no name, over the last. */
function checkName(path: string): string {
  if (!NO_NAME.test(path)) return path;
  throw new InvalidOptionError("path", "end in the name of a file, and not in its folder");
}

async function writeWhole(download: AudioDownload, path: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    let size = 0;
    for await (const piece of download.body) {
      size += piece.byteLength;
      await file.writeFile(piece);
    }
    // What comes to its end is whole: where bytes lack, somebody has had them.
    if (size < (download.size ?? 0)) throw new AsyncMusicError(READ_BEFORE);
    await file.sync();
  } finally {
    await file.close();
  }
}
