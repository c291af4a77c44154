import ky, { isNetworkError } from "ky";
import type { Fetch } from "../contract/fetch.js";
import { AudioDownloadError, AudioExpiredError } from "../errors/connection-errors.js";
import type { Context } from "../http/context.js";
import type { RequestFailure } from "../http/events.js";
import { adviceForAddress, codeOf } from "../http/failure.js";
import { sendRequest } from "../http/fetch.js";
import { certainlyNeverSent } from "../http/never-sent.js";
import type { Tried } from "../http/outcome.js";
import { statedWaitMs } from "../http/response.js";
import type { AbortCallback } from "../time/abort.js";
import { dateAt } from "../time/date.js";
import { Deadline, noResponseWithin } from "../time/deadline.js";
import { EMPTY_BODY } from "./body.js";
import { DOCUMENT_TYPE } from "./format.js";
import type { DownloadOptions } from "./options.js";
import { hasRequestedCodings, lengthOf } from "./version.js";

/** ky's retries, time limits and errors are off: the SDK's own use the client's clock, and continue a broken download. */
const http = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });

export interface Download {
  context: Context;
  url: string;
  /** The address without credentials and key, as the download and its errors have it. */
  ownUrl: string;
  /** The address in events and messages: also without signatures. */
  shownUrl: string;
  options: DownloadOptions;
  /** The limit of the body. */
  maxBytes: number;
  /** Aborted when the reader cancels the body, and by the caller's signal. */
  controller: AbortController;
  /** The registration at the caller's signal. */
  abort: AbortCallback;
}

/** Sends one request for the audio, or for a part of it. `readResponse` receives a successful response. */
export async function request<Result>(
  download: Download,
  headers: Readonly<Record<string, string>>,
  readResponse: (download: Download, response: Response, deadline: Deadline) => Promise<Tried<Result>>,
): Promise<Tried<Result>> {
  const { context, url, ownUrl, shownUrl, options, controller } = download;
  const { clock, emitter, redactor } = context;
  const { signal } = controller;
  const event = { requestId: null, method: "GET", url: shownUrl, taskId: null } as const;

  signal.throwIfAborted();
  const sent = headersOf(download, headers);
  const sentAt = clock.now();
  emitter.emit("attempt", () => ({ ...event }));
  const deadline = new Deadline(options.timeoutMs ?? context.timeoutMs, signal);
  const sending = send(url, sent, context.fetch, deadline);
  let response: Response | null = null;
  let failure: unknown;
  try {
    response = await Promise.race([sending, deadline.ended]);
  } catch (error) {
    failure = error;
  }
  const status = response?.status ?? null;
  const durationMs = clock.now() - sentAt;
  emitter.emit("response", () => {
    const reason = response === null ? failureOf(failure, deadline, signal) : null;
    return { ...event, status, failure: reason, durationMs, remaining: null };
  });
  let misfit = "";
  try {
    if (response === null) throw failure;
    // A body may be complete except for its end mark.
    if (status === 416 && "Range" in headers) return await readResponse(download, response, deadline);
    // Any other success has no audio, or a part that was not requested.
    if (status === 200 || (status === 206 && sent.has("Range"))) {
      misfit = misfitOf(response.headers, sent);
      if (misfit === "") return await readResponse(download, response, deadline);
    }
  } catch (error) {
    deadline.clear();
    signal.throwIfAborted();
    if (error instanceof AudioDownloadError) return { error, mayResend: true };
    const isNeverSent = !deadline.timedOut && certainlyNeverSent(error);
    const broken = `the connection ${isNeverSent ? "failed" : "was lost"}${codeOf(error, redactor)}`;
    const reason = deadline.timedOut ? noResponseWithin(deadline.timeoutMs) : broken;
    const advice = isNeverSent ? adviceForAddress(url) : "";
    return { error: downloadError(download, null, reason, { cause: error, advice }), mayResend: true };
  }
  deadline.clear();
  response.body?.cancel().catch(() => {});
  const waitMs = statedWaitMs(response.headers, undefined, clock.now());
  const error =
    status === 404
      ? new AudioExpiredError(ownUrl, shownUrl)
      : downloadError(download, status, misfit || `the server returned HTTP ${status}`, { waitMs });
  const mayResend = misfit !== "" || status === 429 || response.status >= 500;
  return { error, mayResend, statedWaitMs: waitMs };
}

/** The headers of a request: those of the caller, and `own`. */
function headersOf({ context, options }: Download, own: Readonly<Record<string, string>>): Headers {
  // Audio may be on any server, so the key is also removed from the caller's headers.
  const sent =
    options.headers === undefined ? new Headers() : context.redactor.headers(new Headers(options.headers));
  for (const name of ["x-api-key", "x-request-id"]) sent.delete(name);
  // Only bytes without a content coding have a known length and can be resumed.
  if (!sent.has("Accept-Encoding")) sent.set("Accept-Encoding", "identity");
  for (const [name, value] of Object.entries(own)) sent.set(name, value);
  return sent;
}

/** Why a successful response has no audio that can be read whole; empty if it may have. */
function misfitOf(headers: Headers, sent: Headers): string {
  if (lengthOf(headers) === 0) return EMPTY_BODY;
  if (DOCUMENT_TYPE.test(headers.get("Content-Type") ?? "")) return "the server returned HTML, JSON or XML";
  return hasRequestedCodings(headers, sent) ? "" : "the body has a content coding that was not requested";
}

function failureOf(error: unknown, deadline: Deadline, signal: AbortSignal): RequestFailure {
  if (deadline.timedOut) return "timed_out";
  if (signal.aborted) return "aborted";
  return certainlyNeverSent(error) ? "never_sent" : "connection_lost";
}

/** Rejects for an address that no request can have, such as one with a password. */
async function send(
  url: string,
  headers: Headers,
  fetch: Fetch | undefined,
  deadline: Deadline,
): Promise<Response> {
  const request = { method: "GET", headers, redirect: "follow", credentials: "omit" } as const;
  try {
    return await http(url, { fetch: () => sendRequest(fetch, url, request, deadline) });
  } catch (error) {
    throw isNetworkError(error) ? error.cause : error;
  }
}

/** How a server of files refuses an address that has expired. The service itself has 404, which is permanent. */
export const EXPIRED_ADDRESS: readonly (number | null)[] = [401, 403, 410];

/** What is known of a failure besides its reason. */
interface Known {
  cause?: unknown;
  /** What to do instead of the same download again. */
  advice?: string;
  /** The wait that the response stated, in milliseconds. */
  waitMs?: number | null;
}

export function downloadError(
  { context, ownUrl, shownUrl }: Download,
  status: number | null,
  reason: string,
  { cause, advice, waitMs = null }: Known = {},
): AudioDownloadError {
  const retryAt = waitMs === null ? null : dateAt(context.clock.now() + waitMs);
  const again = EXPIRED_ADDRESS.includes(status)
    ? `Read the task again, since its clip may have another address than ${shownUrl}, and download that.`
    : `Download ${shownUrl} again${retryAt === null ? "" : ` after ${retryAt.toISOString()}`}.`;
  return new AudioDownloadError(
    { what: "Failed to download audio", why: reason, advice: [advice || again] },
    {
      url: ownUrl,
      status,
      cause: context.redactor.cause(cause),
      retryAfterSeconds: waitMs === null ? null : Math.ceil(waitMs / 1000),
      retryAt,
    },
  );
}
