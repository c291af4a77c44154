import { shown, wrongValue } from "../errors/base.js";
import { AudioDownloadError, AudioExpiredError } from "../errors/connection-errors.js";
import { checkOptions } from "../errors/options.js";
import { statedWaitMs } from "../http/attempt.js";
import { REQUEST_OPTIONS } from "../http/call.js";
import type { Context, RequestOptions, Tried } from "../http/context.js";
import { adviceForAddress, codeOf } from "../http/failure.js";
import { certainlyNeverSent, sendRequest, withRetries } from "../http/fetch.js";
import {
  type AbortCallback,
  type Deadline,
  noResponseWithin,
  onAbort,
  startDeadline,
} from "../time/clock.js";
import {
  type AudioExtension,
  type BodyFailure,
  type Bytes,
  bytesToSkip,
  extensionOfBytes,
  extensionOfType,
  headersOfRest,
  lengthOf,
  piecesOf,
  readWhole,
  SIGNATURE_LENGTH,
  type Source,
  skipping,
  startingWith,
  versionOf,
} from "./body.js";

/** A download whose headers have arrived. Its body can be read once. */
export interface AudioDownload {
  /** The address of the audio. */
  readonly url: string;
  /** The `Content-Type` of the response: the only reliable statement of the format. */
  readonly contentType: string;
  /** The extension for a file: from the `Content-Type`, or, if that is missing or generic, from the first bytes. */
  readonly extension: AudioExtension;
  /** In bytes; `null` if the response did not state it. */
  readonly size: number | null;
  /**
   * The bytes as they arrive. After a broken connection the stream continues where it stopped, if `maxRetries` allows it and
   * an `ETag` or `Last-Modified` shows that the file is unchanged. Otherwise, and if it ends before `size`, the stream fails
   * with `AudioDownloadError`.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** All bytes. @throws {@link AudioDownloadError} the body broke off and could not be continued */
  arrayBuffer(): Promise<ArrayBuffer>;
  /** All bytes, with their type. @throws {@link AudioDownloadError} the body broke off and could not be continued */
  blob(): Promise<Blob>;
}

/** Downloads the audio of clips. */
export class Audio {
  readonly #context: Context;

  /** @internal */
  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Downloads a clip's audio. The request is retried like a read; the body is a stream that is resumed after a broken
   * connection, and ends whole or fails. Neither the API key nor a request id is sent, redirects are followed,
   * and nothing counts against the rate limit. `timeoutMs` limits the time to the headers, and the time between two pieces
   * of the body.
   *
   * @param source - a clip, or its `audio_url`
   * @throws {@link AudioExpiredError} the address returns 404: audio is kept for seven days
   * @throws {@link AudioDownloadError} any other failure
   *
   * @example
   * ```ts
   * for (const clip of song.output.result) {
   *   const { contentType, size } = await client.audio.download(clip);
   *   console.log(contentType, size);
   * }
   * ```
   */
  async download(
    source: string | URL | { audio_url: string },
    options: RequestOptions = {},
  ): Promise<AudioDownload> {
    const context = this.#context;
    return context.trace("download audio", {}, async () => {
      const url = audioUrlOf(source);
      const own = checkOptions(options, REQUEST_OPTIONS, context.redactor);
      const { signal, maxRetries = context.maxRetries } = own;
      const controller = new AbortController();
      const weak = new WeakRef(controller);
      // The caller's signal may live longer than the download, and must not keep it in memory.
      const abort = onAbort(signal, () => weak.deref()?.abort(signal?.reason));
      if (signal?.aborted) controller.abort(signal.reason);
      const shownUrl = context.redactor.safeText(url);
      const download = { context, url, shownUrl, options: own, maxRetries, controller, abort };
      try {
        return await withRetries(context, { maxRetries, signal: controller.signal }, () =>
          request(download, {}, open),
        );
      } catch (error) {
        abort.remove();
        throw error;
      }
    });
  }
}

interface Download {
  context: Context;
  url: string;
  /** The address without credentials and key. */
  shownUrl: string;
  options: RequestOptions;
  maxRetries: number;
  /** Aborted when the reader cancels the body, and by the caller's signal. */
  controller: AbortController;
  /** The registration at the caller's signal. */
  abort: AbortCallback;
}

/** Sends one request for the audio, or for a part of it. `readResponse` receives a successful response. */
async function request<Result>(
  download: Download,
  headers: Readonly<Record<string, string>>,
  readResponse: (download: Download, response: Response, deadline: Deadline) => Promise<Tried<Result>>,
): Promise<Tried<Result>> {
  const { context, url, shownUrl, options, controller } = download;
  const { clock, emitter, redactor } = context;
  const { signal } = controller;
  const event = { requestId: null, method: "GET", url: shownUrl, taskId: null } as const;

  signal.throwIfAborted();
  // Audio may be on any server, so the key is also removed from the caller's headers.
  const sent = options.headers === undefined ? new Headers() : redactor.headers(new Headers(options.headers));
  for (const name of ["x-api-key", "x-request-id"]) sent.delete(name);
  // Only bytes without a content coding have a known length and can be resumed.
  if (!sent.has("Accept-Encoding")) sent.set("Accept-Encoding", "identity");
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);

  const sentAt = clock.now();
  emitter.emit("attempt", () => event);
  const deadline = startDeadline(options.timeoutMs ?? context.timeoutMs, signal);
  const sending = sendRequest({
    method: "GET",
    url,
    headers: sent,
    redirect: "follow",
    credentials: "omit",
    fetch: context.fetch,
    signal: deadline.signal,
  });
  let response: Response | null = null;
  let failure: unknown;
  try {
    response = await Promise.race([sending, deadline.ended]);
  } catch (error) {
    failure = error;
  }
  const status = response?.status ?? null;
  const durationMs = clock.now() - sentAt;
  emitter.emit("answer", () => ({ ...event, status, durationMs, remaining: null }));
  try {
    if (response === null) throw failure;
    // Any other success has no audio, or a part that was not requested.
    if (status === 200 || (status === 206 && sent.has("Range")))
      return await readResponse(download, response, deadline);
  } catch (error) {
    deadline.clear();
    signal.throwIfAborted();
    if (error instanceof AudioDownloadError) return { error, mayResend: true };
    const isNeverSent = !deadline.timedOut() && certainlyNeverSent(error);
    const broken = `the connection ${isNeverSent ? "failed" : "was lost"}${codeOf(error, redactor)}`;
    const reason = deadline.timedOut() ? noResponseWithin(deadline.timeoutMs) : broken;
    const advice = isNeverSent ? adviceForAddress(url) : "";
    return { error: downloadError(download, null, reason, error, advice), mayResend: true };
  }
  deadline.clear();
  response.body?.cancel().catch(() => {});
  const waitMs = statedWaitMs(response.headers, undefined, clock.now());
  if (status === 404)
    return { error: new AudioExpiredError(shownUrl), mayResend: false, statedWaitMs: waitMs };
  const error = downloadError(download, status, `the server returned HTTP ${status}`);
  return { error, mayResend: status === 429 || (status ?? 0) >= 500, statedWaitMs: waitMs };
}

function downloadError(
  { context, shownUrl: url }: Download,
  status: number | null,
  reason: string,
  thrown?: unknown,
  advice = "",
): AudioDownloadError {
  const message = `Failed to download audio: ${reason}. ${advice || `Download ${url} again.`}`;
  return new AudioDownloadError(message, { url, status, cause: context.redactor.cause(thrown) });
}

async function open(
  download: Download,
  response: Response,
  deadline: Deadline,
): Promise<{ result: AudioDownload }> {
  const url = download.shownUrl;
  const size = lengthOf(response.headers);
  const statedType = response.headers.get("Content-Type");
  const stated = extensionOfType(statedType);
  const retries = { left: download.maxRetries };
  const from = stated === null ? SIGNATURE_LENGTH : 0;
  const pieces = readWhole({ pieces: piecesOf(response, deadline), size }, (received, failure) =>
    resume(download, response, from, retries, received, failure),
  );
  // If the connection breaks before the format is known, this throws, and the request is sent again.
  const start = stated === null ? await readStart(pieces) : null;
  if (start === null) deadline.pause();
  const body = streamOf(start === null ? pieces : startingWith(start, pieces), download);
  const contentType = statedType ?? "application/octet-stream";
  const extension = stated ?? extensionOfBytes(start ?? new Uint8Array(0));
  // Not `new Response(body).blob()`: some runtimes replace the error of a stream that fails by one of their own.
  const blob = async () => {
    if (body.locked) throw readBefore(url);
    const reader = body.getReader();
    const parts: Bytes[] = [];
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
    const whole = new Blob(parts, { type: contentType });
    // A stream that ended is whole. If bytes are missing, they were read before.
    if (size !== null && whole.size < size) throw readBefore(url);
    return whole;
  };
  const arrayBuffer = async () => (await blob()).arrayBuffer();
  return { result: { contentType, extension, size, url, body, arrayBuffer, blob } };
}

function readBefore(url: string): AudioDownloadError {
  const message = `Failed to read audio: its body was read before. Keep the bytes, or download ${url} again.`;
  return new AudioDownloadError(message, { url, status: null });
}

/** The first bytes, which show the format; fewer if the body is shorter. */
async function readStart(pieces: AsyncGenerator<Bytes>): Promise<Bytes> {
  let start: Bytes = new Uint8Array(0);
  while (start.byteLength < SIGNATURE_LENGTH) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = new Uint8Array([...start, ...value]);
  }
  return start;
}

/**
 * Continues a body that broke off: requests the rest of the same version. All resumptions of a body share the retries of one
 * read. A body that breaks off before `from` bytes arrived is not continued: its caller starts again.
 */
async function resume(
  download: Download,
  begun: Response,
  from: number,
  retries: { left: number },
  received: number,
  { reason, cause }: BodyFailure,
): Promise<Source> {
  const { context, controller } = download;
  const { signal } = controller;
  const cutOff = (reason: string, thrown?: unknown) => downloadError(download, begun.status, reason, thrown);

  signal.throwIfAborted();
  const error = cutOff(reason, cause);
  const headers = received >= from ? headersOfRest(begun, received) : null;
  if (headers === null) throw error;
  const readRest = async (_: Download, rest: Response, deadline: Deadline): Promise<Tried<Source>> => {
    const version = versionOf(begun);
    const broken = `the connection was lost after ${received} bytes`;
    const skipped = bytesToSkip(version, received, rest);
    if (skipped === null) {
      deadline.clear();
      rest.body?.cancel().catch(() => {});
      const error = cutOff(`${broken}, and the server does not confirm that the file is unchanged`);
      return { error, mayResend: false };
    }
    const pieces = skipping(piecesOf(rest, deadline), skipped);
    try {
      const { value, done } = await pieces.next();
      const size = version.size ?? versionOf(rest).size;
      if (!done) return { result: { pieces: startingWith(value, pieces), size } };
      return { error: cutOff(broken), mayResend: true };
    } catch (thrown) {
      signal.throwIfAborted();
      return { error: cutOff(broken, thrown), mayResend: true };
    }
  };

  let isFirst = true;
  return withRetries(context, { maxRetries: retries.left, signal }, async () => {
    // The broken body counts as the first attempt, so that a wait comes before the first request.
    if (isFirst) {
      isFirst = false;
      return { error, mayResend: true };
    }
    retries.left--;
    return request(download, headers, readRest);
  });
}

/** Removes the listener of a body that was garbage-collected. */
const collected = new FinalizationRegistry<AbortCallback>((abort) => abort.remove());

/** The pieces as a stream. Nothing is read ahead. An abort closes the connection at any time. */
function streamOf(pieces: AsyncGenerator<Bytes>, { controller, abort }: Download): ReadableStream<Bytes> {
  const body = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(value);
        abort.remove();
        controller.close();
      },
      async cancel() {
        abort.remove();
        controller.abort();
        // Only a generator that was started runs its `finally`, which cancels the response.
        await pieces.next().catch(() => {});
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  collected.register(body, abort);
  return body;
}

/** The address of the audio. */
export function audioUrlOf(source: unknown): string {
  const { audio_url, then, task_id } = Object(source);
  const given: unknown = typeof source === "object" ? (audio_url ?? source) : source;
  const address = given instanceof URL ? given.href : given;
  if (typeof address === "string" && /^https?:\/\//i.test(address) && URL.canParse(address)) {
    const { username, password, href } = new URL(address);
    // `safeText` finds every password in the normal form of a URL.
    return username === "" && password === "" ? address : href;
  }
  // A value that contains a clip, but is none.
  let got = shown(address);
  if (task_id !== undefined) got = "a task: pass one clip of `task.output.result`";
  if (typeof then === "function") got = "a promise: await it first";
  if (Array.isArray(source)) got = "a list: pass one clip of it";
  const rule = "be a clip or an address that begins with http:// or https://";
  throw wrongValue("source", rule, got);
}
