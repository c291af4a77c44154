import { AudioDownloadError } from "../errors/connection-errors.js";
import { type ByteStream, byteStream } from "../http/byte-stream.js";
import type { Context } from "../http/context.js";
import type { Tried } from "../http/outcome.js";
import { Retries } from "../http/retries.js";
import { withoutSecrets } from "../http/shown-url.js";
import { onAbort } from "../time/abort.js";
import type { Deadline } from "../time/deadline.js";
import { type Bytes, piecesOf, piecesOfBlob, readWhole, startingWith } from "./body.js";
import { type AudioExtension, extensionOfBytes, extensionOfType, SIGNATURE_LENGTH } from "./format.js";
import type { DownloadOptions } from "./options.js";
import { type Reading, readings } from "./reading.js";
import { type Download, downloadError, request } from "./request.js";
import { resume } from "./resume.js";
import { lengthOf } from "./version.js";
import { withRetries } from "./with-retries.js";

/** The default of `maxBytes`: 1 GiB. */
const MAX_AUDIO_BYTES = 2 ** 30;

/** The most audio that is held in memory to learn its size: 128 MiB, about 12 minutes of WAV. */
const MAX_SPOOLED_BYTES = 128 * 2 ** 20;

/** A download whose headers have arrived. Its body can be read once. */
export interface AudioDownload {
  /** The address of the audio. */
  readonly url: string;
  /**
   * The `Content-Type` of the response: the only reliable statement of the format. `application/octet-stream` if the response has none.
   */
  readonly contentType: string;
  /** The extension for a file: from the `Content-Type`, or, if that is missing or generic, from the first bytes. */
  readonly extension: AudioExtension;
  /** In bytes; `null` if the response did not state it. */
  readonly size: number | null;
  /**
   * The bytes as they arrive. After a broken connection the stream continues where it stopped, if `maxRetries` allows it and
   * the file is shown to be unchanged: by a strong `ETag`, or by its size and a `Last-Modified` that is a second older than the
   * response. Otherwise, if it ends before `size`, and after `maxBytes`, the stream fails with `AudioDownloadError`.
   */
  readonly body: ByteStream;
  /**
   * All bytes. Starts over after a broken connection if the file is not shown to be unchanged.
   *
   * @throws `AudioDownloadError` the body broke off and could not be continued, or is larger than `maxBytes`
   */
  arrayBuffer(): Promise<ArrayBuffer>;
  /** All bytes, with their type. Starts over and fails as `arrayBuffer` does. */
  blob(): Promise<Blob>;
}

/** A download whose size is known: see the option `size`. */
export interface SizedAudioDownload extends AudioDownload {
  /** In bytes. */
  readonly size: number;
}

/** Downloads the audio of an address. The options are checked. */
export async function download(
  context: Context,
  url: string,
  options: DownloadOptions,
): Promise<AudioDownload> {
  const { signal, maxBytes = MAX_AUDIO_BYTES } = options;
  const controller = new AbortController();
  const weak = new WeakRef(controller);
  // The caller's signal may live longer than the download, and must not keep it in memory.
  const abort = onAbort(signal, () => {
    const open = weak.deref();
    if (open !== undefined) end(open, signal?.reason);
  });
  if (signal?.aborted) controller.abort(signal.reason);
  const ownUrl = context.redactor.safeText(url);
  const shownUrl = context.redactor.safeText(withoutSecrets(new URL(url)));
  const begun: Download = { context, url, ownUrl, shownUrl, options, maxBytes, controller, abort };
  try {
    const opened = await withRetries(retriesOf(begun), () => request(begun, {}, open));
    return options.size === "required" && opened.size === null ? await spool(opened) : opened;
  } catch (error) {
    abort.remove();
    throw error;
  }
}

/** Reads all of a body into memory, so that its size is known. */
async function spool(opened: AudioDownload): Promise<SizedAudioDownload> {
  const whole = await opened.blob();
  const { size } = whole;
  const body = streamOfPieces(piecesOfBlob(whole));
  return { ...opened, size, body, blob: async () => whole, arrayBuffer: () => whole.arrayBuffer() };
}

function retriesOf({ context, options, controller: { signal } }: Download): Retries {
  return new Retries(context, { ...options, signal });
}

async function open(begun: Download, response: Response, deadline: Deadline): Promise<Tried<AudioDownload>> {
  const url = begun.ownUrl;
  const size = lengthOf(response.headers);
  const isSpooled = size === null && begun.options.size === "required";
  const download = isSpooled ? { ...begun, maxBytes: Math.min(begun.maxBytes, MAX_SPOOLED_BYTES) } : begun;
  if (size !== null && size > download.maxBytes) {
    deadline.clear();
    response.body?.cancel().catch(() => {});
    return { error: tooLarge(download, response), mayResend: false };
  }
  const statedType = response.headers.get("Content-Type");
  const stated = extensionOfType(statedType);
  const reading: Reading = {
    begun: response,
    delivered: 0,
    resumableFrom: stated === null ? SIGNATURE_LENGTH : 0,
    retries: retriesOf(download),
    startOver: null,
  };
  const pieces = readWhole({ pieces: piecesOf(response, deadline), size }, (received, failure) =>
    resume(download, reading, received, failure),
  );
  // If the connection breaks before the format is known, this throws, and the request is sent again.
  const start = stated === null ? await readStart(pieces) : new Uint8Array(0);
  deadline.pause();
  const body = streamOf(startingWith(start, pieces), reading, download);
  const contentType = statedType ?? "application/octet-stream";
  const extension = stated ?? extensionOfBytes(start);
  // Not `new Response(body).blob()`: some runtimes replace the error of a stream that fails by one of their own.
  const blob = async () => {
    if (body.locked || reading.delivered > 0) throw readBefore(begun);
    const parts: Bytes[] = [];
    reading.startOver = () => {
      parts.length = 0;
    };
    const reader = body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
    // A stream that ended is whole and not empty, unless it was canceled.
    if (parts.length === 0) throw readBefore(begun);
    return new Blob(parts, { type: contentType });
  };
  const arrayBuffer = async () => (await blob()).arrayBuffer();
  return { result: { contentType, extension, size, url, body, arrayBuffer, blob } };
}

function tooLarge(download: Download, { status }: Response): AudioDownloadError {
  const isSpooled = download.maxBytes === MAX_SPOOLED_BYTES && download.options.size === "required";
  const limit = isSpooled ? "the limit if the response states no size" : "the limit `maxBytes`";
  const reason = `the audio is larger than ${download.maxBytes} bytes, ${limit}`;
  const advice = isSpooled
    ? "Save it with `saveAudio`, then upload the file."
    : "Raise the limit if the audio is expected.";
  return downloadError(download, status, reason, { advice });
}

function readBefore({ ownUrl, shownUrl }: Download): AudioDownloadError {
  const advice = [`Keep the bytes, or download ${shownUrl} again.`];
  const parts = { what: "Failed to read audio", why: "its body was read before", advice };
  return new AudioDownloadError(parts, { url: ownUrl, status: null });
}

/** The first bytes, which show the format; fewer if the body is shorter. */
async function readStart(pieces: AsyncGenerator<Bytes>): Promise<Bytes> {
  let start: Bytes = new Uint8Array(0);
  while (start.byteLength < SIGNATURE_LENGTH) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = new Uint8Array(await new Blob([start, value]).arrayBuffer());
  }
  return start;
}

/** Ends the download of a body that was garbage-collected: it listens to a signal, and may hold an open connection. */
const collected = new FinalizationRegistry<Download>(({ abort, controller }) => {
  abort.remove();
  controller.abort();
});

/** Ends a download before its body does. The reason may keep the body in memory, so the registry must not keep the reason. */
function end(controller: AbortController, reason?: unknown): void {
  collected.unregister(controller);
  controller.abort(reason);
}

/** The pieces as a stream. An abort closes the connection at any time. */
function streamOf(pieces: AsyncGenerator<Bytes>, reading: Reading, download: Download): ByteStream {
  const { controller } = download;
  const body = streamOfPieces(delivering(pieces, reading, download), () => end(controller));
  collected.register(body, download, controller);
  readings.set(body, reading);
  return body;
}

/** Counts the pieces, up to the limit of the body. */
async function* delivering(
  pieces: AsyncGenerator<Bytes>,
  reading: Reading,
  download: Download,
): AsyncGenerator<Bytes> {
  try {
    for await (const piece of pieces) {
      reading.delivered += piece.byteLength;
      if (reading.delivered > download.maxBytes) throw tooLarge(download, reading.begun);
      yield piece;
    }
  } finally {
    download.abort.remove();
  }
}

/** A stream of pieces. Nothing is read ahead. */
function streamOfPieces(pieces: AsyncGenerator<Bytes>, onCancel = () => {}): ByteStream {
  return byteStream({
    async pull(to) {
      const { done, value } = await pieces.next();
      if (done) to.close();
      else to.enqueue(value);
    },
    async cancel() {
      onCancel();
      // Only a generator that was started runs its `finally`, which cancels the response.
      await pieces.next().catch(() => {});
      await pieces.return(undefined);
    },
  });
}
