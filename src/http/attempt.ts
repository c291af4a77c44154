import { HEADERS } from "../contract/service.js";
import { dateAt, parseDate } from "../time/date.js";
import { startDeadline } from "../time/deadline.js";
import type {
  ApiResponse,
  Call,
  Context,
  IdSet,
  Judge,
  Outcome,
  RequestOptions,
  Tried,
  Unusable,
} from "./context.js";
import { sendRequest } from "./fetch.js";
import { createRequestId } from "./ids.js";
import { certainlyNeverSent } from "./never-sent.js";
import { oneShotBody } from "./one-shot-body.js";
import { remainingOf, responseOf } from "./response.js";

/**
 * The largest response that is read, in bytes after decompression: 16 MiB. A task takes a few kilobytes; without a limit, half
 * a megabyte of Brotli could fill the memory.
 */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** How long a 429 that states no wait holds the key back. */
const UNSTATED_HOLD_MS = 1000;

/** Sends a call once, after its admission by the pacer, which receives a report. Emits `attempt`, `answer` and `pause`. */
export async function attempt(
  context: Context,
  call: Call,
  options: RequestOptions,
  judge: Judge,
): Promise<Tried<ApiResponse>> {
  const { clock, pacer, redactor, emitter } = context;
  const { signal, requestId = createRequestId(context.random) } = options;
  const { method, taskId } = call;
  const sentAt = clock.now();
  const event = () => ({
    requestId: redactor.text(requestId),
    method,
    url: redactor.text(context.baseUrl + call.path),
    taskId: taskId ?? null,
  });
  emitter.emit("attempt", event);
  // Last abort check: after this, the POST of a run completes even if the caller aborts.
  const inFlight = signal?.aborted ? undefined : call.inFlight;
  if (inFlight) inFlight.call = call;
  const outcome = await sendOnce(context, call, options, requestId, inFlight ? undefined : signal);
  if (inFlight) inFlight.call = null;

  const response = outcome.kind === "received" ? outcome.response : null;
  const { status, statedWaitMs } = response ?? NO_RESPONSE;
  const { remaining } = outcome.kind === "received" ? outcome.response : outcome;
  const heldForMs = status === 429 ? (statedWaitMs ?? UNSTATED_HOLD_MS) : null;
  try {
    pacer.report({ taskId, sentAt, remaining, heldForMs });
  } catch (error) {
    // A POST may have created a task: a custom pacer that throws must not lose it.
    if (method !== "POST") throw error;
  }
  const now = clock.now();
  const date = parseDate(response?.headers.get("Date") ?? null);
  if (date !== null) context.service.aheadMs = date - now;
  emitter.emit("answer", () => ({ ...event(), status, durationMs: now - sentAt, remaining }));
  if (heldForMs !== null) emitter.emit("pause", () => ({ forMs: heldForMs, until: dateAt(now + heldForMs) }));
  if (response !== null && response.status >= 200 && response.status < 300) return { result: response };
  const verdict = judge({ context, call, requestId: response?.requestId ?? requestId, outcome });
  return { ...verdict, statedWaitMs };
}

const NO_RESPONSE = { status: null, statedWaitMs: null };

class ForeignResponse extends Error {}

class ResponseTooLarge extends Error {}

/** Sends one request and reads its response to the end. Keeps the part that arrived before a failure: it may name a paid task. */
async function sendOnce(
  context: Context,
  call: Call,
  options: RequestOptions,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { ids, clock, apiKey } = context;
  const { timeoutMs = context.timeoutMs } = options;
  const url = context.baseUrl + call.path;
  const deadline = startDeadline(timeoutMs, signal);
  const isSent = !deadline.signal.aborted;
  const received: { response?: Response; reader?: ReadableStreamDefaultReader<Uint8Array>; text: string } = {
    text: "",
  };
  ids.requests.add(requestId);
  const sent = call.body === undefined ? null : oneShotBody(call.body);

  const receive = async (): Promise<Response> => {
    const headers: Record<string, string> = {
      Accept: "application/json",
      [HEADERS.requestId]: requestId,
      [HEADERS.apiKey]: apiKey,
      ...sent?.headers,
    };
    const response = await sendRequest({
      method: call.method,
      url,
      headers: options.headers === undefined ? headers : withCallersHeaders(options.headers, headers),
      body: sent?.body ?? null,
      redirect: "manual",
      fetch: context.fetch,
      signal: deadline.signal,
    });
    received.response = response;
    const reader = response.body?.getReader();
    if (reader !== undefined) received.reader = reader;
    const named = response.headers.get(HEADERS.requestId) ?? requestId;
    if (named !== requestId && namesAnotherRequest(named, requestId, ids.requests))
      throw new ForeignResponse();

    // Piece by piece, so that the beginning of a body that breaks off is known.
    const decoder = new TextDecoder();
    let left = MAX_RESPONSE_BYTES;
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      const { value } = next;
      // A custom `fetch` may return anything. A chunk that can't be decoded must not discard those before it.
      if (!ArrayBuffer.isView(value))
        throw new TypeError("the body of the response contains something other than bytes");
      received.text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
      if (left < 0) throw new ResponseTooLarge();
    }
    received.text += decoder.decode();
    return response;
  };

  try {
    const whole = await Promise.race([receive(), deadline.ended]);
    const response = responseOf(whole, received.text, requestId, clock.now());
    return foreignTask(response, call, requestId, ids.tasks) ?? { kind: "received", response };
  } catch (cause) {
    const { response, text, reader } = received;
    reader?.cancel().catch(() => {});
    const status = response?.status ?? null;
    const remaining = response === undefined ? null : remainingOf(response.headers);
    const failure = { url, timeoutMs, status, text, remaining };
    if (signal?.aborted && !deadline.timedOut())
      return { ...failure, kind: isSent ? "aborted" : "aborted_before_sending", cause: signal.reason };
    if (cause instanceof ForeignResponse) return foreign("X-Request-Id", "belongs to another request");
    if (response !== undefined && !response.ok)
      return { kind: "received", response: responseOf(response, text, requestId, clock.now()) };
    if (cause instanceof ResponseTooLarge) {
      const issue = { path: "", message: `is larger than ${MAX_RESPONSE_BYTES} bytes` };
      return { kind: "too_large", status, text, issue, remaining };
    }
    if (deadline.timedOut()) return { ...failure, kind: "timed_out", cause: undefined };
    const isNeverSent = response === undefined && certainlyNeverSent(cause);
    return { ...failure, kind: isNeverSent ? "never_sent" : "connection_lost", cause };
  } finally {
    deadline.clear();
  }
}

/** The SDK's headers replace those of the caller, in any capitalization. */
function withCallersHeaders(given: HeadersInit, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

/**
 * Whether an `X-Request-Id` is that of another request of this client. Ids that the client never sent, such as those of a
 * gateway, mean nothing.
 */
function namesAnotherRequest(header: string, requestId: string, sent: IdSet): boolean {
  const named = header.split(",").map((id) => id.trim().toLowerCase());
  return !named.includes(requestId.toLowerCase()) && named.some((id) => sent.has(id));
}

/** The outcome of a success that names another task; `null` if it names the task of this call, or none. */
function foreignTask(response: ApiResponse, call: Call, requestId: string, tasks: IdSet): Unusable | null {
  const { status, headers, taskId: named } = response;
  // The schema of the response reports an id that is missing.
  if (status < 200 || status >= 300 || typeof named !== "string" || named === "") return null;
  if (call.taskId !== undefined) {
    const isSame = named.toLowerCase() === call.taskId.toLowerCase();
    return isSame ? null : foreign("data.task_id", "is not the requested task ID");
  }
  // An emulator gives the same ids again after a reset. It echoes the request id, so its response to this request is accepted.
  const mayRepeatIds = headers.has("X-Emulator") && headers.get(HEADERS.requestId) === requestId;
  if (call.method !== "POST" || tasks.add(named) || mayRepeatIds) return null;
  return foreign("data.task_id", "belongs to an earlier submission");
}

/** Status and body of a response that belongs to another request say nothing about this one. */
function foreign(path: string, message: string): Unusable {
  return { kind: "foreign", status: null, text: "", issue: { path, message }, remaining: null };
}
