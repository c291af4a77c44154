import ky, { isNetworkError } from "ky";

export interface HttpRequest {
  method: "GET" | "POST";
  url: string;
  headers: HeadersInit;
  body?: BodyInit | null;
  /** `"manual"` for everything that carries the API key: a redirect would take it to another origin. */
  redirect: "manual" | "follow";
  credentials?: "omit";
  /** `undefined`: the global `fetch`, looked up now, so that a later replacement is used. */
  fetch: typeof fetch | undefined;
  signal: AbortSignal;
}

/**
 * Sends every request of the SDK. ky's retries, time limits and errors are off: the SDK's own use the client's clock, and
 * an error of ky would expose the API key in its request.
 */
const http = ky.create({
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  hooks: { beforeError: [({ error }) => (isNetworkError(error) ? (error.cause as Error) : error)] },
});

/** The `fetch` of the platform, which may be wrapped or replaced later. */
const platformFetch = globalThis.fetch;

/** Keeps each request as long as its signal: a request that is not referenced stops following its signal. */
const requestsBySignal = new WeakMap<AbortSignal, Request>();

export async function sendRequest(request: HttpRequest): Promise<Response> {
  const { url, headers, body = null, fetch = globalThis.fetch, signal, ...others } = request;
  signal.throwIfAborted();
  // A `Request` holds its signal only weakly, so the signal is also passed as `init`. A custom `fetch` with one parameter
  // ignores `init`: it receives a `Request` that is kept alive. ky would add a signal of its own, which costs more.
  const isRequestOnly = fetch !== platformFetch && fetch.length === 1;
  const init: RequestInit = { signal };
  // ky would add the headers of a polluted `Object.prototype`.
  if ("headers" in Object.prototype) init.headers = headers;
  return http(url, {
    ...others,
    headers,
    body: isRequestOnly ? null : body,
    async fetch(input) {
      const own: RequestInit & { duplex: string } = { ...init, body, duplex: "half" };
      const sent = isRequestOnly ? new Request(input, own) : input;
      if (isRequestOnly) requestsBySignal.set(signal, sent as Request);
      const response = await (isRequestOnly ? fetch(sent) : fetch(sent, init));
      // A custom `fetch` may return anything. It may also ignore the signal: cancel its late response.
      if (typeof response?.headers?.get !== "function")
        throw new TypeError("`fetch` returned something other than a Response");
      if (signal.aborted) response.body?.cancel().catch(() => {});
      return response;
    },
  });
}
