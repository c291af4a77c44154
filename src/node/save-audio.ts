import { truncate } from "node:fs/promises";
import type { AudioDownload } from "../audio/download.js";
import { AUDIO_EXTENSION } from "../audio/format.js";
import { isBegun, onStartOver } from "../audio/reading.js";
import { messageOfThrown } from "../contract/thrown.js";
import { invalidOption, shown, wrongValue } from "../errors/base.js";
import { AudioDownloadError } from "../errors/connection-errors.js";
import { checkOptions, flagRule } from "../errors/options.js";
import { checkPath, PathTaken, withFile, writeWholeFile } from "./durable.js";

/** Options of `saveAudio`: what it does if a file exists at the path. Set at most one. */
export interface SaveAudioOptions {
  /**
   * Replaces the file, once the new one is complete.
   *
   * @defaultValue `false`: an existing file is refused with `AudioDownloadError`
   */
  overwrite?: boolean | undefined;
  /**
   * Saves under the first free name: `rain.mp3`, `rain-2.mp3`, `rain-3.mp3`.
   *
   * @defaultValue `false`
   */
  unique?: boolean | undefined;
}

/** A path that ends in a directory: nothing, `.` or `..` follows the last slash. */
const ENDS_IN_DIRECTORY = /(?:^|[/\\])\.{0,2}$/;

/**
 * Streams a download to disk, completely or not at all: it is written to a draft beside the file, a random UUID with the extension
 * `.part`, and moved when it is complete. A process that is killed leaves the draft, which no later call uses. When this resolves,
 * the file survives a power cut. Creates missing directories. Never replaces an existing file unless you pass `overwrite: true`.
 * Without an option, of two calls of one process that save to the same path at once, the second is refused.
 *
 * @param download - the result of `client.audio.download`, with its body unread
 * @param path - the path without its extension, which the download determines; an audio extension is replaced
 * @returns the path of the file
 * @throws `AudioDownloadError` a file exists at the path, or another call is saving it: the file stays as it is, and the
 * download can be saved elsewhere
 * @throws `AudioDownloadError` another process created the file during the download: that file stays as it is, and the
 * audio has to be downloaded again
 * @throws `AudioDownloadError` the body is incomplete or empty, is larger than the download's `maxBytes`, was read before,
 * or could not be written (see `cause`); no partial file is left
 * @throws `InvalidOptionError` the path is empty, ends in a directory, or is not a string; the first argument is not
 * a download; both options are set
 *
 * @example
 * ```ts
 * const download = await client.audio.download(clip);
 * const path = await saveAudio(download, "songs/rain", { unique: true }); // "songs/rain.mp3", then "songs/rain-2.mp3"
 * ```
 */
export async function saveAudio(
  download: AudioDownload,
  path: string,
  options: SaveAudioOptions = {},
): Promise<string> {
  checkDownload(download);
  const target = `${stemOf(path)}.${download.extension}`;
  const checked = checkOptions(options, { overwrite: flagRule, unique: flagRule });
  if (checked.overwrite && checked.unique)
    throw invalidOption("unique", "Pass either `unique` or `overwrite`, not both");
  if (isBegun(download.body)) throw readBefore(download);
  let hasBegun = false;
  const write = (draft: string) => {
    hasBegun = true;
    // Appends, so that the next piece is at the beginning of a draft that was emptied.
    return withFile(draft, "ax", async (file) => {
      for await (const { piece, startsOver } of piecesOf(download)) {
        if (startsOver) await truncate(draft);
        await file.writeFile(piece);
      }
      await file.sync();
    });
  };
  try {
    return await writeWholeFile(target, write, checked);
  } catch (error) {
    if (error instanceof PathTaken) {
      const codeAdvice = ["Choose another path, or pass `unique: true` or `overwrite: true`."];
      const advice = hasBegun ? ["Download it again."] : [];
      throw failure(download, { what: FAILED, why: error.message, advice, codeAdvice }, error);
    }
    await download.body.cancel().catch(() => {});
    if (error instanceof ReadFailure) throw error.cause;
    const why = messageOfThrown(error);
    const advice = ["Fix the path or the disk, then download it again."];
    throw failure(download, { what: `${FAILED} to ${target}`, why, advice }, error);
  }
}

const FAILED = "Failed to save audio";

/** In JavaScript, a caller may pass a clip or a promise by mistake. */
function checkDownload(download: AudioDownload): void {
  if (typeof download?.extension === "string" && typeof download.body?.getReader === "function") return;
  const rule = "be the result of `await client.audio.download(clip)`";
  throw wrongValue("download", rule, shown(download));
}

/** The path without an audio extension. An empty title leaves only the directory. */
function stemOf(path: string): string {
  // The download has an extension of its own.
  const stem = checkPath(path).replace(AUDIO_EXTENSION, "");
  if (!ENDS_IN_DIRECTORY.test(stem)) return stem;
  throw wrongValue("path", "end in a file name, not in a directory");
}

/** A failed body, as opposed to a failed write. Its cause is thrown unchanged, since it may be the reason of an abort. */
class ReadFailure extends Error {}

/** The pieces of the body. One that `startsOver` replaces all those before it. */
async function* piecesOf(
  download: AudioDownload,
): AsyncGenerator<{ piece: Uint8Array; startsOver: boolean }> {
  let missing = download.size ?? 0;
  let [startsOver, isEmpty] = [false, true];
  try {
    // Meanwhile, other code may have read it.
    if (isBegun(download.body)) throw readBefore(download);
    onStartOver(download.body, () => {
      startsOver = true;
      missing = 0;
    });
    for await (const piece of download.body) {
      missing -= piece.byteLength;
      isEmpty &&= piece.byteLength === 0;
      yield { piece, startsOver };
      startsOver = false;
    }
    // A body that ends is complete and not empty, so missing bytes were read before.
    if (missing > 0 || isEmpty) throw readBefore(download);
  } catch (error) {
    throw new ReadFailure("", { cause: error });
  }
}

function readBefore(download: AudioDownload): AudioDownloadError {
  const why = "its body was read before, which can be done once";
  return failure(download, { what: FAILED, why, advice: ["Download it again."] });
}

function failure(
  { url }: AudioDownload,
  parts: AudioDownloadError["parts"],
  cause?: unknown,
): AudioDownloadError {
  return new AudioDownloadError(parts, { url, status: null, cause });
}
