import { type Deadline, startDeadline } from "../clock/deadline.js";
import { AudioDownloadError } from "../errors/audio-download-error.js";
import { AudioExpiredError } from "../errors/audio-expired-error.js";
import { InvalidOptionError } from "../errors/invalid-option-error.js";
import { backoffMs } from "../transport/backoff.js";
import type { RequestOptions } from "../transport/call.js";
import { checkRequestOptions } from "../transport/request-options.js";
import { statedWaitMs } from "../transport/stated-wait.js";
import type { Transport } from "../transport/transport.js";
import { type AudioDownload, createAudioDownload } from "./audio-download.js";
import { extensionOfBytes, extensionOfType, isGenericType, SIGNATURE_LENGTH } from "./audio-format.js";
import { fetchAudio } from "./fetch-audio.js";
import { type Bytes, readWhole, streamOf } from "./whole-body.js";

/** A try that failed, and after which wait another one may succeed; `null` where none can. */
interface FailedTry {
  error: unknown;
  waitMs: number | null;
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
  const { maxRetries = transport.maxRetries } = checkRequestOptions(options);
  let budgetMs = transport.retryBudgetMs;

  for (let retry = 0; ; retry++) {
    const result = await tryOnce(transport, url, options, retry);
    if (!("error" in result)) return result;
    const { error, waitMs } = result;
    if (waitMs === null || retry >= maxRetries || waitMs > budgetMs) throw error;
    budgetMs -= waitMs;
    await transport.clock.sleep(waitMs, options.signal);
  }
}

async function tryOnce(
  transport: Transport,
  url: string,
  options: RequestOptions,
  retry: number,
): Promise<AudioDownload | FailedTry> {
  options.signal?.throwIfAborted();
  const shownUrl = transport.redactor.text(url);
  const deadline = startDeadline(options.timeoutMs ?? transport.timeoutMs, options.signal);
  try {
    const response = await fetchAudio(url, options.headers, transport.fetch, deadline);
    if (response.ok) return await open(transport, shownUrl, response, deadline);
    deadline.clear();
    response.body?.cancel().catch(() => {});
    return failedAnswer(transport, shownUrl, response, retry);
  } catch (error) {
    deadline.clear();
    options.signal?.throwIfAborted();
    return failedConnection(transport, shownUrl, error, deadline.timedOut(), retry);
  }
}

async function open(
  transport: Transport,
  url: string,
  response: Response,
  deadline: Deadline,
): Promise<AudioDownload> {
  const reader = (response.body ?? new Blob().stream()).getReader();
  const size = sizeOf(response.headers);
  const { status } = response;
  const pieces = readWhole({ url, status, reader, size, deadline, redactor: transport.redactor });

  const statedType = response.headers.get("Content-Type");
  const contentType = statedType ?? "application/octet-stream";
  if (!isGenericType(statedType)) {
    deadline.pause();
    return createAudioDownload(
      { contentType, extension: extensionOfType(statedType), size },
      streamOf(pieces),
    );
  }
  const start = await readStart(pieces);
  const extension = extensionOfBytes(start);
  return createAudioDownload({ contentType, extension, size }, streamOf(startingWith(start, pieces)));
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

function failedAnswer(
  transport: Transport,
  url: string,
  { status, headers }: Response,
  retry: number,
): FailedTry {
  if (status === 404) return { error: new AudioExpiredError(url), waitMs: null };
  const error = new AudioDownloadError(`Failed to download audio: ${url} answers HTTP ${status}.`, {
    url,
    status,
  });
  const mayPass = status === 429 || status >= 500;
  const stated = statedWaitMs(headers, undefined, transport.clock.now());
  return { error, waitMs: mayPass ? (stated ?? backoffMs(retry, transport.random)) : null };
}

function failedConnection(
  transport: Transport,
  url: string,
  failure: unknown,
  timedOut: boolean,
  retry: number,
): FailedTry {
  const waitMs = backoffMs(retry, transport.random);
  if (failure instanceof AudioDownloadError) return { error: failure, waitMs };
  const reason = timedOut ? "no answer came in time" : "the connection broke";
  const cause = transport.redactor.cause(failure);
  const error = new AudioDownloadError(`Failed to download audio: ${reason} (${url}).`, {
    url,
    status: null,
    cause,
  });
  return { error, waitMs };
}
