import ky from "ky";
import { startDeadline } from "../clock/deadline.js";
import type { Answer } from "./call.js";
import { certainlyNeverLeft } from "./never-left.js";

/** One HTTP attempt, ready to be sent. */
export interface Attempt {
  method: "GET" | "POST";
  url: string;
  headers: Headers;
  body: string | undefined;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  fetch: typeof fetch;
}

/** What became of an attempt. */
export type Outcome = Answered | Unanswered;

/** An answer came, whole, or at least its status where that is an error. */
export interface Answered {
  kind: "answered";
  answer: Omit<Answer, "requestId">;
}

/** No answer came that could be read to its end. */
export interface Unanswered {
  kind: "aborted_before_sending" | "aborted" | "timed_out" | "never_left" | "lost";
  /** The status, where the answer broke off behind its head. */
  status: number | null;
  cause: unknown;
}

/**
 * Sends one attempt and reads its answer whole, within its time limit. A redirect is never followed: it would carry
 * the key to another origin. The library neither retries nor throws here, since its errors hold the request.
 */
export async function exchange(attempt: Attempt): Promise<Outcome> {
  const deadline = startDeadline(attempt.timeoutMs, attempt.signal);
  let began = false;
  let cause: unknown;
  let head: Response | null = null;

  const send = async (request: RequestInfo | URL, init?: RequestInit) => {
    deadline.signal.throwIfAborted();
    began = true;
    try {
      return await attempt.fetch(request, init);
    } catch (error) {
      cause = error;
      throw error;
    }
  };

  try {
    head = await Promise.race([request(attempt, send, deadline.signal), deadline.ended]);
    const text = await Promise.race([head.text(), deadline.ended]);
    return { kind: "answered", answer: { status: head.status, headers: head.headers, text } };
  } catch (error) {
    if (head !== null && !head.ok) {
      return { kind: "answered", answer: { status: head.status, headers: head.headers, text: "" } };
    }
    const status = head?.status ?? null;
    if (deadline.timedOut()) return { kind: "timed_out", status, cause: undefined };
    if (attempt.signal?.aborted) {
      return { kind: began ? "aborted" : "aborted_before_sending", status, cause: attempt.signal.reason };
    }
    cause ??= error;
    return { kind: status === null && certainlyNeverLeft(cause) ? "never_left" : "lost", status, cause };
  } finally {
    deadline.clear();
  }
}

function request(attempt: Attempt, send: typeof fetch, signal: AbortSignal): Promise<Response> {
  return ky(attempt.url, {
    method: attempt.method,
    headers: attempt.headers,
    ...(attempt.body === undefined ? {} : { body: attempt.body }),
    fetch: send,
    signal,
    redirect: "manual",
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
  });
}
