import { AudioDownloadError, AudioExpiredError } from "../errors/audio-errors.js";
import type { RequestOptions } from "../http/call.js";
import { type FailedTry, retrying } from "../http/retrying.js";
import { statedWaitMs } from "../http/stated-wait.js";
import type { Transport } from "../http/transport.js";
import type { Aborter } from "../time/abort.js";
import { type Deadline, startDeadline } from "../time/deadline.js";
import { fetchAudio } from "./fetch-audio.js";

/** One download, whatever its number of tries. */
export interface Download {
  transport: Transport;
  url: string;
  /** The address as an error may show it. */
  shownUrl: string;
  options: RequestOptions;
  maxRetries: number;
  /** Aborted when the reader cancels the body, and by the caller's signal while it is followed. */
  leaving: Aborter;
}

/** What is made of an answer of success. */
type Use<Result> = (response: Response, deadline: Deadline) => Promise<{ result: Result } | FailedTry>;

/**
 * Asks for the audio until an answer comes that can be used. What broke off before is the first failure of the series;
 * `onRetry` is told of each request behind the first.
 */
export function tryFor<Result>(
  download: Download,
  headers: Readonly<Record<string, string>>,
  use: Use<Result>,
  brokenOff?: { error: AudioDownloadError; onRetry: () => void },
): Promise<Result> {
  const { transport, maxRetries, leaving } = download;
  let hasBegun = brokenOff === undefined;
  return retrying({ ...transport, maxRetries, signal: leaving.signal }, async () => {
    if (hasBegun) {
      brokenOff?.onRetry();
      return tryOnce(download, headers, use);
    }
    hasBegun = true;
    return { error: brokenOff?.error, mayRetry: true, statedMs: null };
  });
}

async function tryOnce<Result>(
  download: Download,
  headers: Readonly<Record<string, string>>,
  use: Use<Result>,
): Promise<{ result: Result } | FailedTry> {
  const { transport, url, options, leaving } = download;
  const { signal } = leaving;
  signal.throwIfAborted();
  const { clock, emitter } = transport;
  const event = { requestId: null, method: "GET", url: download.shownUrl, taskId: null } as const;
  const leftAt = clock.now();
  const emitAnswer = (status: number | null) =>
    emitter.emit("answer", () => ({ ...event, status, durationMs: clock.now() - leftAt, remaining: null }));
  emitter.emit("attempt", () => event);
  let isAnswered = false;

  const deadline = startDeadline(options.timeoutMs ?? transport.timeoutMs, signal);
  try {
    // Audio may lie anywhere, so the key isn't sent there in a header of the caller's either.
    const sent = transport.redactor.headers(new Headers(options.headers));
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const response = await fetchAudio(url, sent, transport.fetch, deadline);
    isAnswered = true;
    emitAnswer(response.status);
    if (holdsAudio(response, sent)) return await use(response, deadline);
    deadline.clear();
    response.body?.cancel().catch(() => {});
    return failedAnswer(download, response);
  } catch (error) {
    deadline.clear();
    if (!isAnswered) emitAnswer(null);
    signal.throwIfAborted();
    return failedConnection(download, error, deadline.timedOut());
  }
}

/** Any other success holds nothing, or a part that nobody asked for: it must not pass for the song. */
function holdsAudio({ status }: Response, sent: Headers): boolean {
  return status === 200 || (status === 206 && sent.has("Range"));
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
