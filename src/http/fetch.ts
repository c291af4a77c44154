import ky, { isNetworkError } from "ky";
import { AsyncMusicError } from "../errors/base.js";
import { isReasonOf } from "../time/clock.js";
import type { Context, RequestOptions, Tried } from "./context.js";

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

const utf8 = new TextEncoder();

/**
 * A JSON body that `fetch` sends at most once, and its headers. The service has no idempotency key, so the runtime must not
 * repeat a POST:
 *
 * - Node repeats a request after a 421 (Misdirected Request), unless its body is a stream.
 * - Deno repeats a request whose connection breaks, unless its body is a `Blob` or a stream. It would send a stream chunked.
 * - Chromium repeats a request after a 421 and, on a reused connection, after a 408. Browsers stream request bodies over
 *   HTTP/2 only, so a page cannot prevent this.
 * - Bun and workerd repeat no POST.
 */
export function oneShotBody(text: string): { body: BodyInit; headers: Readonly<Record<string, string>> } {
  const headers = { "Content-Type": "application/json" };
  if ("Deno" in globalThis) return { body: new Blob([text]), headers };
  const { process } = globalThis as { process?: { versions?: { undici?: string }; type?: string } };
  // The pages of Electron have Node's `process` and Chromium's `fetch`.
  if (process?.versions?.undici === undefined || process.type === "renderer") return { body: text, headers };
  const bytes = utf8.encode(text);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // With a stated length the body is not sent in chunks, which some gateways refuse.
  return { body, headers: { ...headers, "Content-Length": String(bytes.byteLength) } };
}

/** The ceiling of the first wait between two attempts, in milliseconds. It doubles with each retry, up to the highest. */
const FIRST_BACKOFF_MS = 500;
const HIGHEST_BACKOFF_MS = 8000;

/**
 * Repeats an attempt until it succeeds, or throws the error of the last one. Waits 0 to 0.5 s, 0 to 1 s, 0 to 2 s and so on,
 * at most 8 s; a stated wait replaces these and is never shortened: if it exceeds the budget, the call fails at once.
 */
export async function withRetries<Result>(
  context: Context,
  { maxRetries = context.maxRetries, signal }: Pick<RequestOptions, "maxRetries" | "signal">,
  tryOnce: (budgetMs: number) => Promise<Tried<Result>>,
): Promise<Result> {
  const { clock, random, emitter, redactor } = context;
  let budgetMs = context.retryBudgetMs;
  try {
    for (let retry = 0; ; retry++) {
      const tried = await tryOnce(budgetMs);
      if ("result" in tried) return tried.result;

      const { error, mayResend, statedWaitMs } = tried;
      const waitMs = statedWaitMs ?? random() * Math.min(HIGHEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
      if (!mayResend || retry >= maxRetries || waitMs > budgetMs) throw error;
      budgetMs -= waitMs;
      emitter.emit("retry", () => ({ retry: retry + 1, waitMs, error }));
      await clock.sleep(waitMs, signal);
    }
  } catch (error) {
    if (error instanceof AsyncMusicError || isReasonOf(signal, error)) throw error;
    // A custom pacer or clock may throw anything, the key included.
    throw (
      redactor.cause(error) ??
      new AsyncMusicError("Failed to send the request: the custom pacer or clock threw.")
    );
  }
}

/** Where warnings go by default. */
export const platformConsole = {
  warn: (message: string) => console.warn(`async-music: ${message}`),
};

/** Whether this code runs in a web page or one of its workers, where anyone can read a key. */
export function isBrowser(): boolean {
  const { window, document, importScripts } = globalThis as {
    window?: { document?: unknown };
    document?: unknown;
    importScripts?: unknown;
  };
  const isPage = typeof window === "object" && typeof (document ?? window?.document) === "object";
  return isPage || typeof importScripts === "function";
}
