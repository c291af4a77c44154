import { concatBytes } from "../shared/data.js";
import { startDeadline } from "../time/deadline.js";
import type { Answer } from "./call.js";
import { certainlyNeverLeft } from "./never-left.js";
import type { OneShotBody } from "./one-shot-body.js";
import { parseJson } from "./parse-json.js";

/** One for all answers: to make one takes longer than to decode an answer. */
const utf8 = new TextDecoder();

/**
 * The largest response that is read, in bytes after decompression: 16 MiB. A task takes a few kilobytes; without a limit, half
 * a megabyte of Brotli could fill the memory.
 */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** One HTTP attempt, ready to be sent. */
export interface Attempt {
  method: "GET" | "POST";
  url: string;
  headers: Headers | Record<string, string>;
  body: OneShotBody | undefined;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  fetch: typeof fetch;
  /** Whether a response belongs to another request. */
  isForeign(headers: Headers): boolean;
}

/** What became of an attempt. */
export type Outcome = Answered | Unusable | Unanswered;

/** An answer came, whole, or at least its status where that is an error. */
export interface Answered {
  kind: "answered";
  answer: Omit<Answer, "requestId">;
}

/** A response came that is too large to be read, or that belongs to another request. */
export interface Unusable {
  kind: "too_large" | "foreign";
  /** `null` for a response that belongs to another request. */
  status: number | null;
  /** The first `MAX_RESPONSE_BYTES` of the body; empty for a response that belongs to another request. */
  text: string;
  issue: { path: string; message: string };
}

/** No answer came that could be read to its end. */
export interface Unanswered {
  kind: "aborted_before_sending" | "aborted" | "timed_out" | "never_left" | "lost";
  url: string;
  /** The status, where the answer broke off behind its head. */
  status: number | null;
  /** What came of the body before it broke off. */
  text: string;
  cause: unknown;
}

/** What has come of an answer so far. */
interface Received {
  head: Response | null;
  pieces: Uint8Array[];
  byteLength: number;
  reader: ReadableStreamDefaultReader<Uint8Array> | null;
}

/**
 * Sends one attempt and reads its answer whole, within its time limit. A redirect is never followed: it would carry
 * the key to another origin.
 */
export async function exchange(attempt: Attempt): Promise<Outcome> {
  const deadline = startDeadline(attempt.timeoutMs, attempt.signal);
  const received: Received = { head: null, pieces: [], byteLength: 0, reader: null };
  const began = !deadline.signal.aborted;
  try {
    const answer = receive(attempt, deadline.signal, received);
    return answered(await Promise.race([answer, deadline.ended]), textOf(received));
  } catch (cause) {
    const { head, reader } = received;
    reader?.cancel().catch(() => {});
    const broken = { url: attempt.url, status: head?.status ?? null, text: textOf(received) };
    if (attempt.signal?.aborted && !deadline.timedOut()) {
      return { ...broken, kind: began ? "aborted" : "aborted_before_sending", cause: attempt.signal.reason };
    }
    if (cause instanceof ForeignResponse) return foreign("X-Request-Id", "is that of another request");
    if (head !== null && !head.ok) return answered(head, broken.text);
    if (cause instanceof ResponseTooLarge) {
      const issue = { path: "", message: `is larger than ${MAX_RESPONSE_BYTES} bytes` };
      return { kind: "too_large", status: broken.status, text: broken.text, issue };
    }
    if (deadline.timedOut()) return { ...broken, kind: "timed_out", cause: undefined };
    return { ...broken, kind: head === null && certainlyNeverLeft(cause) ? "never_left" : "lost", cause };
  } finally {
    deadline.clear();
  }
}

class ForeignResponse extends Error {}
class ResponseTooLarge extends Error {}

function answered({ status, headers }: Response, text: string): Answered {
  return { kind: "answered", answer: { status, headers, text, json: parseJson(text) } };
}

/** The outcome of an attempt whose response belongs to another request: nothing of it can be relied on. */
export function foreign(path: string, message: string): Unusable {
  return { kind: "foreign", status: null, text: "", issue: { path, message } };
}

/** Receives an answer piece by piece: the beginning of one that breaks off may name a task that is paid for. */
async function receive(attempt: Attempt, signal: AbortSignal, received: Received): Promise<Response> {
  const head = await send(attempt, signal);
  received.head = head;
  received.reader = head.body?.getReader() ?? null;
  if (attempt.isForeign(head.headers)) throw new ForeignResponse();
  if (received.reader === null) return head;
  for (;;) {
    const { done, value } = await received.reader.read();
    if (done) return head;
    // A `fetch` of the caller's own may answer with anything: what can't be decoded must not hide what came before it.
    if (!ArrayBuffer.isView(value)) throw new TypeError("the answer's body holds something else than bytes");
    const left = MAX_RESPONSE_BYTES - received.byteLength;
    received.pieces.push(value.byteLength > left ? value.subarray(0, left) : value);
    received.byteLength += value.byteLength;
    if (value.byteLength > left) throw new ResponseTooLarge();
  }
}

async function send({ method, url, headers, body, fetch }: Attempt, signal: AbortSignal): Promise<Response> {
  signal.throwIfAborted();
  const answer = await fetch(url, { method, headers, redirect: "manual", signal, ...body?.init });
  // What didn't listen to the signal answers too late: nobody will read it.
  if (signal.aborted) answer?.body?.cancel().catch(() => {});
  if (typeof answer?.headers?.get !== "function")
    throw new TypeError("`fetch` answered something else than a Response");
  return answer;
}

function textOf({ pieces }: Received): string {
  const [first] = pieces;
  return utf8.decode(pieces.length === 1 ? first : concatBytes(pieces));
}
