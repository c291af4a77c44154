import type { Answer } from "./call.js";
import { rateLimitRemaining } from "./rate-limit-remaining.js";
import type { Redactor } from "./redactor.js";

/** The data of an answer, with the answer around it. */
export interface WithResponse<Data> {
  data: Data;
  /** The HTTP answer; its body can be read once more. */
  response: Response;
  /** Names the request in the service's records. */
  requestId: string;
  rateLimit: {
    /** Requests left in the key's current window; `null` where the answer did not say. */
    remaining: number | null;
  };
}

/** A promise of an answer's data that can also give the answer around it. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data together with the HTTP answer, its request id and what it said of the rate limit. */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Wraps one call: both of its promises share the one request. */
export function apiPromise<Data>(
  result: Promise<{ data: Data; answer: Answer }>,
  redactor: Redactor,
): ApiPromise<Data> {
  const promise = result.then(({ data }) => data);
  const withResponse = async (): Promise<WithResponse<Data>> => {
    // Whoever asks for the whole takes over the failure as well.
    promise.catch(() => {});
    const { data, answer } = await result;
    const headers = redactor.headers(answer.headers);
    return {
      data,
      response: new Response(answer.text, { status: answer.status, headers }),
      requestId: redactor.text(answer.requestId),
      rateLimit: { remaining: rateLimitRemaining(answer.headers) },
    };
  };
  return Object.assign(promise, { withResponse });
}
