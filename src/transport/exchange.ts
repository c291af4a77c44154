import ky from "ky";
import { type Deadline, startDeadline } from "../clock/deadline.js";
import { fetchResendsText } from "../environment.js";
import type { Answer } from "./call.js";
import { certainlyNeverLeft } from "./never-left.js";

/** One HTTP attempt, ready to be sent. */
export interface Attempt {
  method: "GET" | "POST";
  url: string;
  headers: Headers | Record<string, string>;
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
  url: string;
  /** The status, where the answer broke off behind its head. */
  status: number | null;
  /** What came of the body before it broke off. */
  text: string;
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
  let text = "";

  // The library hands over a whole `Request`, which knows the signal only of its own attempt.
  const send = async (request: RequestInfo | URL) => {
    deadline.signal.throwIfAborted();
    began = true;
    try {
      const answer = await attempt.fetch(request, { signal: deadline.signal });
      // What didn't listen to the signal answers too late: nobody will read it.
      if (deadline.signal.aborted) answer?.body?.cancel().catch(() => {});
      if (typeof answer?.headers?.get !== "function")
        throw new TypeError("`fetch` answered something else than a Response");
      return answer;
    } catch (error) {
      cause = error;
      throw error;
    }
  };

  try {
    head = await Promise.race([request(attempt, send), deadline.ended]);
    await readText(head, deadline, (piece) => (text += piece));
    return { kind: "answered", answer: { status: head.status, headers: head.headers, text } };
  } catch (error) {
    const broken = { url: attempt.url, status: head?.status ?? null, text };
    if (attempt.signal?.aborted && !deadline.timedOut()) {
      return { ...broken, kind: began ? "aborted" : "aborted_before_sending", cause: attempt.signal.reason };
    }
    if (head !== null && !head.ok) {
      return { kind: "answered", answer: { status: head.status, headers: head.headers, text } };
    }
    if (deadline.timedOut()) return { ...broken, kind: "timed_out", cause: undefined };
    cause ??= error;
    return { ...broken, kind: head === null && certainlyNeverLeft(cause) ? "never_left" : "lost", cause };
  } finally {
    deadline.clear();
  }
}

/**
 * Reads a body piece by piece: the beginning of one that breaks off may name a task that is paid for. A body that
 * isn't read to its end is given back.
 */
async function readText(
  { body }: Response,
  { ended }: Deadline,
  keep: (piece: string) => void,
): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), ended]);
      if (done) break;
      keep(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
  keep(decoder.decode());
}

function request(attempt: Attempt, send: typeof fetch): Promise<Response> {
  return ky(attempt.url, {
    method: attempt.method,
    headers: attempt.headers,
    ...(attempt.body === undefined ? {} : { body: sentOnce(attempt.body) }),
    fetch: send,
    redirect: "manual",
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
  });
}

/** A body that no runtime sends a second time: the service has no idempotency key. */
function sentOnce(body: string): BodyInit {
  return fetchResendsText() ? new Blob([body]) : body;
}
