import type { AudioExtension } from "./audio-format.js";

/** Audio on its way: its head has come, its body can be read once. */
export interface AudioDownload {
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
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AudioDownload {
  const arrayBuffer = () => new Response(body).arrayBuffer();
  return {
    ...head,
    body,
    arrayBuffer,
    blob: async () => new Blob([await arrayBuffer()], { type: head.contentType }),
  };
}
