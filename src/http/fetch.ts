import type { Fetch } from "../contract/fetch.js";
import type { Deadline } from "../time/deadline.js";

export interface OutgoingRequest {
  method: "GET" | "POST";
  headers: HeadersInit;
  body?: BodyInit | null;
  /** `"manual"` for everything that carries the API key: a redirect would take it to another origin. */
  redirect: "manual" | "follow";
  credentials?: "omit";
}

/** The `fetch` of the platform, which may be wrapped or replaced later. */
const platformFetch = globalThis.fetch;

/** Whether requests are sent by the platform itself: not by an option, nor by a replacement of the global `fetch`. */
export function isPlatforms(fetch: Fetch = globalThis.fetch): boolean {
  return fetch === platformFetch;
}

/**
 * Sends one request. Any other `fetch` than the platform's receives a `Request`, and its signal once more.
 *
 * @param fetch - `undefined`: the global `fetch`, looked up now, so that a later replacement is used
 */
export async function sendRequest(
  fetch: Fetch | undefined,
  url: string,
  request: OutgoingRequest,
  deadline: Deadline,
): Promise<Response> {
  const { signal } = deadline;
  signal.throwIfAborted();
  const send = fetch ?? globalThis.fetch;
  // Without a prototype: `fetch` would also read the options of a polluted `Object.prototype`.
  const init: RequestInit = Object.assign(Object.create(null), request, { signal, duplex: "half" });
  let sending: Promise<Response>;
  if (isPlatforms(send)) sending = send(url, init);
  else {
    const whole = new Request(url, init);
    // A `fetch` with one parameter does not receive the signal itself. For others, this would cost 2 kB for each unread response.
    if (send.length === 1) deadline.request = whole;
    sending = send(whole, { signal });
  }
  const response = await sending;
  // A custom `fetch` may return anything. It may also ignore the signal: cancel its late response.
  if (typeof response?.headers?.get !== "function" || response.type === "error")
    throw new TypeError("`fetch` returned something other than a response");
  if (signal.aborted) response.body?.cancel().catch(() => {});
  return response;
}
