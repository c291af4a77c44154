import { type Deadline, startDeadline } from "../clock/deadline.js";
import { AudioDownloadError } from "../errors/audio-download-error.js";
import { AudioExpiredError } from "../errors/audio-expired-error.js";
import { InvalidOptionError } from "../errors/invalid-option-error.js";
import type { RequestOptions } from "../transport/call.js";
import { checkOptionNames } from "../transport/option-names.js";
import { checkRequestOptions, REQUEST_OPTIONS } from "../transport/request-options.js";
import { type FailedTry, retrying } from "../transport/retrying.js";
import { statedWaitMs } from "../transport/stated-wait.js";
import type { Transport } from "../transport/transport.js";
import { type AudioDownload, createAudioDownload } from "./audio-download.js";
import { extensionOfBytes, extensionOfType, isGenericType, SIGNATURE_LENGTH } from "./audio-format.js";
import { fetchAudio } from "./fetch-audio.js";
import { type Bytes, readWhole, streamOf } from "./whole-body.js";

/** One download, whatever its number of tries. */
interface Download {
  transport: Transport;
  url: string;
  /** The address as an error may show it. */
  shownUrl: string;
  options: RequestOptions;
  /** Aborted when the reader leaves the body. */
  leaving: AbortController;
  /** Aborted by the caller, or when the reader leaves. */
  signal: AbortSignal;
}

/** Downloads audio: the head with the retries of a read, the body as a stream that is whole or an error. */
export async function downloadAudio(
  transport: Transport,
  url: string,
  options: RequestOptions,
): Promise<AudioDownload> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new InvalidOptionError(
      "url",
      "be a clip, or an address that begins with http:// or https://",
      transport.redactor.text(url),
    );
  }
  checkOptionNames(options, REQUEST_OPTIONS);
  const { maxRetries = transport.maxRetries } = checkRequestOptions(options);
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const download = { transport, url, shownUrl: transport.redactor.text(url), options, leaving, signal };
  return retrying({ ...transport, maxRetries, signal }, () => tryOnce(download));
}

async function tryOnce(download: Download): Promise<{ result: AudioDownload } | FailedTry> {
  const { transport, url, options, signal } = download;
  signal.throwIfAborted();
  const deadline = startDeadline(options.timeoutMs ?? transport.timeoutMs, signal);
  try {
    const response = await fetchAudio(url, options.headers, transport.fetch, deadline);
    if (response.ok) return { result: await open(download, response, deadline) };
    deadline.clear();
    response.body?.cancel().catch(() => {});
    return failedAnswer(download, response);
  } catch (error) {
    deadline.clear();
    signal.throwIfAborted();
    return failedConnection(download, error, deadline.timedOut());
  }
}

async function open(
  { transport, shownUrl, leaving }: Download,
  response: Response,
  deadline: Deadline,
): Promise<AudioDownload> {
  const reader = (response.body ?? new Blob().stream()).getReader();
  const size = sizeOf(response.headers);
  const { status } = response;
  const pieces = readWhole({ url: shownUrl, status, reader, size, deadline, redactor: transport.redactor });

  const statedType = response.headers.get("Content-Type");
  const contentType = statedType ?? "application/octet-stream";
  if (!isGenericType(statedType)) {
    deadline.pause();
    return createAudioDownload(
      { contentType, extension: extensionOfType(statedType), size },
      streamOf(pieces, leaving),
    );
  }
  const start = await readStart(pieces);
  const extension = extensionOfBytes(start);
  return createAudioDownload(
    { contentType, extension, size },
    streamOf(startingWith(start, pieces), leaving),
  );
}

/** As many first bytes as tell the format, or all there are. */
async function readStart(pieces: AsyncGenerator<Bytes>): Promise<Bytes> {
  let start: Bytes = new Uint8Array(0);
  while (start.byteLength < SIGNATURE_LENGTH) {
    const { done, value } = await pieces.next();
    if (done) break;
    const joined = new Uint8Array(start.byteLength + value.byteLength);
    joined.set(start);
    joined.set(value, start.byteLength);
    start = joined;
  }
  return start;
}

async function* startingWith(start: Bytes, rest: AsyncGenerator<Bytes>): AsyncGenerator<Bytes> {
  try {
    if (start.byteLength > 0) yield start;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** `Content-Length`, where it counts the bytes that arrive here: a content coding has another length. */
function sizeOf(headers: Headers): number | null {
  const length = headers.get("Content-Length");
  const coding = headers.get("Content-Encoding");
  return length !== null && /^\d+$/.test(length) && (coding === null || coding === "identity")
    ? Number(length)
    : null;
}

function failedAnswer({ transport, shownUrl: url }: Download, { status, headers }: Response): FailedTry {
  const statedMs = statedWaitMs(headers, undefined, transport.clock.now());
  if (status === 404) return { error: new AudioExpiredError(url), mayRetry: false, statedMs };
  const message = `Failed to download audio: ${url} answers HTTP ${status}.`;
  const error = new AudioDownloadError(message, { url, status });
  return { error, mayRetry: status === 429 || status >= 500, statedMs };
}

function failedConnection(
  { transport, shownUrl: url }: Download,
  failure: unknown,
  timedOut: boolean,
): FailedTry {
  const again = { mayRetry: true, statedMs: null };
  if (failure instanceof AudioDownloadError) return { error: failure, ...again };
  const reason = timedOut ? "no answer came in time" : "the connection broke";
  const message = `Failed to download audio: ${reason} (${url}).`;
  const cause = transport.redactor.cause(failure);
  return { error: new AudioDownloadError(message, { url, status: null, cause }), ...again };
}
