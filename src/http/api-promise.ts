import type { Redactor } from "../errors/redactor.js";
import type { Result } from "./outcome.js";

/** The data of a response, with the response. */
export interface WithResponse<Data> {
  data: Data;
  /** The HTTP response; its body can be read once more. */
  response: Response;
  /** Names the request in the service's records. */
  requestId: string;
  rateLimit: {
    /** Requests left in the key's current window; `null` if the response did not state it. */
    remaining: number | null;
  };
}

/** A promise of a response's data that also gives access to the response. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data together with the HTTP response, its request ID and the remaining rate limit. */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Makes a promise with `withResponse` from one call. */
export function apiPromise<Data>(result: Promise<Result<Data>>, redactor: Redactor): ApiPromise<Data> {
  const promise = result.then(({ data }) => data);
  const withResponse = async (): Promise<WithResponse<Data>> => {
    // The caller of `withResponse` handles the failure.
    promise.catch(() => {});
    const { data, response } = await result;
    const { status, text, remaining } = response;
    return {
      data,
      response: new Response(text, { status, headers: redactor.headers(response.headers) }),
      requestId: redactor.text(response.requestId),
      rateLimit: { remaining },
    };
  };
  return Object.assign(promise, { withResponse });
}
