import { AudioDownloadError } from "../errors/audio-errors.js";
import type { AudioExtension } from "./audio-format.js";
import type { Bytes } from "./whole-body.js";

/** Audio on its way: its head has come, its body can be read once. */
export interface AudioDownload {
  /** The address of the audio. */
  readonly url: string;
  /** The `Content-Type` of the answer: the only reliable statement of the format. */
  readonly contentType: string;
  /** The extension for a file: from the `Content-Type`, and where that says nothing from the first bytes. */
  readonly extension: AudioExtension;
  /** Bytes, where the answer told; `null` otherwise. */
  readonly size: number | null;
  /**
   * The bytes as they come. Where the connection breaks, they go on from there, as long as `maxRetries` allows it and
   * the server can tell that the rest belongs to them; otherwise it fails with `AudioDownloadError`, and also when it
   * ends before `size`.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** All bytes. @throws {@link AudioDownloadError} the body broke off, and could not be gone on with */
  arrayBuffer(): Promise<ArrayBuffer>;
  /** All bytes, with their type. @throws {@link AudioDownloadError} the body broke off, and could not be gone on with */
  blob(): Promise<Blob>;
}

export function createAudioDownload(
  head: Pick<AudioDownload, "contentType" | "extension" | "size">,
  body: ReadableStream<Bytes>,
  url: string,
): AudioDownload {
  const readBefore = () =>
    new AudioDownloadError(
      `Failed to read audio: its body was read before. Keep the bytes, or download ${url} again.`,
      { url, status: null },
    );
  const whole = async () => {
    if (body.locked) throw readBefore();
    const pieces = await allOf(body);
    // What comes to its end is whole: where bytes lack, somebody has had them.
    const isShort = head.size !== null && new Blob(pieces).size < head.size;
    if (isShort) throw readBefore();
    return pieces;
  };
  return {
    ...head,
    url,
    body,
    arrayBuffer: async () => new Blob(await whole()).arrayBuffer(),
    blob: async () => new Blob(await whole(), { type: head.contentType }),
  };
}

/** Read by hand: where a `Response` reads a stream that fails, some runtimes put an error of their own for the stream's. */
async function allOf(body: ReadableStream<Bytes>): Promise<Bytes[]> {
  const reader = body.getReader();
  const pieces: Bytes[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  return pieces;
}
