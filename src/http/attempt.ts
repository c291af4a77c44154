import { HEADERS } from "../contract/service.js";
import type { RateLimitReport } from "../rate-limit/pacer.js";
import { startDeadline } from "../time/abort.js";
import { dateAt, parseDate } from "../time/clock.js";
import type { ApiResponse, Call, Context, IdSet, Outcome, RequestOptions, Unusable } from "./context.js";
import { certainlyNeverLeft, type OneShotBody, oneShotBody, sendRequest } from "./fetch.js";

/**
 * The largest response that is read, in bytes after decompression: 16 MiB. A task takes a few kilobytes; without a limit, half
 * a megabyte of Brotli could fill the memory.
 */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** How long a 429 that states no wait holds the key back. */
const UNSTATED_HOLD_MS = 1000;

/** The longest stated wait that is obeyed: a day. A hostile or broken server must not stop a client permanently. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/**
 * Sends a call once, after its admission by the pacer, which receives a report. Emits `attempt`, `answer` and `pause`. Also
 * returns the request id of the response, or else of the request.
 */
export async function attempt(
  context: Context,
  call: Call,
  options: RequestOptions,
  requestId: string,
): Promise<{ outcome: Outcome; requestId: string }> {
  const { clock, pacer, redactor, emitter } = context;
  const sentAt = clock.now();
  const event = () => ({
    requestId: redactor.text(requestId),
    method: call.method,
    url: redactor.text(context.baseUrl + call.path),
    taskId: call.taskId ?? null,
  });
  emitter.emit("attempt", event);
  // Last abort check: after this, the POST of a run completes even if the caller aborts.
  const inFlight = options.signal?.aborted ? undefined : call.inFlight;
  if (inFlight) inFlight.call = call;
  const report: RateLimitReport = { taskId: call.taskId, sentAt, remaining: null, heldForMs: null };
  const outcome = await exchange(context, call, options, requestId, inFlight ? undefined : options.signal);
  if (outcome.kind === "answered") {
    const { status, remaining, statedWaitMs } = outcome.response;
    report.remaining = remaining;
    if (status === 429) report.heldForMs = statedWaitMs ?? UNSTATED_HOLD_MS;
  }
  if (inFlight) inFlight.call = null;
  try {
    pacer.report(report);
  } catch (error) {
    // A POST may have created a task: a custom pacer that throws must not lose it.
    if (call.method !== "POST") throw error;
  }
  const now = clock.now();
  const response = outcome.kind === "answered" ? outcome.response : null;
  const { remaining, heldForMs } = report;
  const status = response?.status ?? null;
  emitter.emit("answer", () => ({ ...event(), status, durationMs: now - sentAt, remaining }));
  if (heldForMs !== null) {
    emitter.emit("pause", () => ({ forMs: heldForMs, until: dateAt(now + heldForMs) }));
  }
  return { outcome, requestId: response?.requestId ?? requestId };
}

/** The part of a response that has arrived. */
interface Received {
  head: Response | null;
  text: string;
  reader: ReadableStreamDefaultReader<Uint8Array> | null;
}

class ForeignResponse extends Error {}
class ResponseTooLarge extends Error {}

/** Sends one request and reads its response to the end. The part that arrived before a failure may name a paid task. */
export async function exchange(
  context: Context,
  call: Call,
  options: RequestOptions,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { ids, clock } = context;
  const timeoutMs = options.timeoutMs ?? context.timeoutMs;
  const deadline = startDeadline(timeoutMs, signal);
  const received: Received = { head: null, text: "", reader: null };
  const began = !deadline.signal.aborted;
  ids.requests.add(requestId);

  const sent = call.body === undefined ? undefined : oneShotBody(call.body);
  const receive = async (): Promise<Response> => {
    const head = await sendRequest({
      method: call.method,
      url: context.baseUrl + call.path,
      headers: headersOf(context, sent, options, requestId),
      body: sent?.body ?? null,
      redirect: "manual",
      fetch: context.fetch,
      signal: deadline.signal,
    });
    received.head = head;
    received.reader = head.body?.getReader() ?? null;
    const named = head.headers.get(HEADERS.requestId) ?? requestId;
    if (named !== requestId && namesAnotherRequest(named, requestId, ids.requests))
      throw new ForeignResponse();
    await readText(received);
    return head;
  };

  try {
    const head = await Promise.race([receive(), deadline.ended]);
    const response = responseOf(head, received.text, requestId, clock.now());
    return foreignTask(response, call, requestId, ids.tasks) ?? { kind: "answered", response };
  } catch (cause) {
    const { head, text, reader } = received;
    reader?.cancel().catch(() => {});
    const broken = { url: context.baseUrl + call.path, timeoutMs, status: head?.status ?? null, text };
    if (signal?.aborted && !deadline.timedOut())
      return { ...broken, kind: began ? "aborted" : "aborted_before_sending", cause: signal.reason };
    if (cause instanceof ForeignResponse) return foreign("X-Request-Id", "is that of another request");
    if (head !== null && !head.ok)
      return { kind: "answered", response: responseOf(head, text, requestId, clock.now()) };
    if (cause instanceof ResponseTooLarge) {
      const issue = { path: "", message: `is larger than ${MAX_RESPONSE_BYTES} bytes` };
      return { kind: "too_large", status: broken.status, text, issue };
    }
    if (deadline.timedOut()) return { ...broken, kind: "timed_out", cause: undefined };
    return { ...broken, kind: head === null && certainlyNeverLeft(cause) ? "never_left" : "lost", cause };
  } finally {
    deadline.clear();
  }
}

/** The caller's headers come first, so that none replaces one of the SDK's, whatever its capitalization. */
function headersOf(
  context: Context,
  sent: OneShotBody | undefined,
  options: RequestOptions,
  requestId: string,
): HeadersInit {
  const own = {
    Accept: "application/json",
    [HEADERS.requestId]: requestId,
    [HEADERS.apiKey]: context.apiKey,
    ...(sent === undefined ? {} : { "Content-Type": "application/json" }),
    ...(sent === undefined || sent.length === null ? {} : { "Content-Length": String(sent.length) }),
  };
  if (options.headers === undefined) return own;
  const headers = new Headers(options.headers);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

/** Reads a body piece by piece, so that the beginning of one that breaks off is known. */
async function readText(received: Received): Promise<void> {
  const decoder = new TextDecoder();
  let left = MAX_RESPONSE_BYTES;
  for (;;) {
    const { done, value } = (await received.reader?.read()) ?? { done: true };
    if (done) break;
    // A custom `fetch` may return anything: what can't be decoded must not hide what came before it.
    if (!ArrayBuffer.isView(value)) throw new TypeError("the answer's body holds something else than bytes");
    received.text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
    if (left < 0) throw new ResponseTooLarge();
  }
  received.text += decoder.decode();
}

function responseOf(
  { status, headers }: Response,
  text: string,
  requestId: string,
  now: number,
): ApiResponse {
  const remaining = headers.get(HEADERS.rateLimitRemaining) ?? "";
  const json = parseJson(text);
  return {
    status,
    headers,
    text,
    json,
    requestId: headers.get(HEADERS.requestId) || requestId,
    remaining: /^\d+$/.test(remaining) ? Number(remaining) : null,
    statedWaitMs: status >= 400 ? statedWaitMs(headers, json, now) : null,
    receivedAt: now,
  };
}

/** The value of a JSON text; `undefined` if it is none. */
export function parseJson(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of a JSON value; `undefined` if the value is no object, or has no such field. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The `task_id` of a success body, whatever it is. */
export function taskIdIn({ json }: Pick<ApiResponse, "json">): unknown {
  return fieldOf(fieldOf(json, "data"), "task_id");
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
  const { status, headers } = response;
  const named = taskIdIn(response);
  // The schema of the response reports an id that is missing.
  if (status < 200 || status >= 300 || typeof named !== "string" || named === "") return null;
  if (call.taskId !== undefined) {
    const isSame = named.toLowerCase() === call.taskId.toLowerCase();
    return isSame ? null : foreign("data.task_id", "is not the id that was asked for");
  }
  // An emulator gives the same ids again after a reset. It echoes the request id, so its response to this request is accepted.
  const mayRepeatIds = headers.has("X-Emulator") && headers.get(HEADERS.requestId) === requestId;
  if (call.method !== "POST" || tasks.add(named) || mayRepeatIds) return null;
  return foreign("data.task_id", "is that of an earlier submission");
}

/** Nothing of a response that belongs to another request can be relied on. */
function foreign(path: string, message: string): Unusable {
  return { kind: "foreign", status: null, text: "", issue: { path, message } };
}

/**
 * The wait that a response states, in milliseconds from now: the longest of the `Retry-After` headers (seconds, or a
 * date) and the body's `retry_after_seconds`, a day at most. `null` without a readable value.
 */
export function statedWaitMs(headers: Headers, body: unknown, now: number): number | null {
  // A repeated header is joined by commas. Every date has one too, before the two digits of its day.
  const values = (headers.get(HEADERS.retryAfter) ?? "").split(/, *(?! ?\d\d[ -])/);
  const waits = [...values.map((value) => headerWaitMs(value, headers, now)), bodyWaitMs(body)];
  const stated = waits.filter((wait): wait is number => wait !== null && !Number.isNaN(wait));
  return stated.length === 0 ? null : Math.min(LONGEST_WAIT_MS, Math.max(...stated));
}

function headerWaitMs(value: string, headers: Headers, now: number): number | null {
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);

  // A date begins with the name of its day. `Date.parse` would accept "-5".
  const date = /^[a-z]/i.test(value) ? parseDate(value) : null;
  if (date === null) return null;
  // A date in the past may lie ahead by the server's clock, which need not agree with ours.
  return Math.max(0, date > now ? date - now : date - (parseDate(headers.get("Date")) ?? now));
}

function bodyWaitMs(body: unknown): number | null {
  const seconds = fieldOf(body, "retry_after_seconds");
  return typeof seconds === "number" && seconds >= 0 ? Math.ceil(seconds * 1000) : null;
}

/** The longest usable id, in characters. Request ids have at most 128, and the service's task ids are UUIDs of 36. */
export const LONGEST_ID = 256;

/**
 * How many ids a client remembers at least: the requests of half an hour at the default rate limit (120 a minute). A stale
 * response can only follow a request that has used the same connection, so older ids do not matter. Twice as many take
 * less than 1 MB.
 */
export const REMEMBERED_IDS = 4096;

/** Remembers the ids that were added last: at least `REMEMBERED_IDS`, at most twice as many. A server may change their case. */
export class RecentIds implements IdSet {
  #recent = new Set<string>();
  #older = new Set<string>();

  /** An unusable id is not kept, and counts as new. */
  add(id: string): boolean {
    if (id.length > LONGEST_ID) return true;
    const key = id.toLowerCase();
    const isNew = !this.#recent.has(key) && !this.#older.has(key);
    if (this.#recent.size >= REMEMBERED_IDS) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(key);
    return isNew;
  }

  has(id: string): boolean {
    const key = id.toLowerCase();
    return this.#recent.has(key) || this.#older.has(key);
  }
}
