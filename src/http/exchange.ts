import { HEADERS } from "../contract/service.js";
import { Deadline } from "../time/deadline.js";
import type { Call, Context } from "./context.js";
import { isPlatforms, type OutgoingRequest, sendRequest } from "./fetch.js";
import { foreign, foreignTask, namesAnotherRequest } from "./foreign-response.js";
import { certainlyNeverSent } from "./never-sent.js";
import { oneShotBody } from "./one-shot-body.js";
import type { AttemptOutcome } from "./outcome.js";
import { ReceivedText } from "./received-text.js";
import type { RequestOptions } from "./request-options.js";
import { remainingOf, responseOf } from "./response.js";

/**
 * The largest response that is read, in bytes after decompression: 16 MiB. A task takes a few kilobytes; without a limit, half
 * a megabyte of Brotli could fill the memory.
 */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 20;

/** One HTTP request and its response. Keeps the part that arrived before a failure: it may name a paid task. */
export class HttpExchange {
  readonly #context: Context;
  readonly #call: Call;
  readonly #requestId: string;
  readonly #deadline: Deadline;
  readonly #received = new ReceivedText();
  #response: Response | undefined;
  /** The address of the service; `null` for the platform's `fetch`. */
  #address: string | null = null;
  /** `false` while the request may reach the service; `true` once nothing was sent, and nothing will be. */
  #isUnsent: boolean | undefined;
  /** Why the response was not read to its end. */
  #refusal: "foreign" | "too_large" | null = null;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(
    context: Context,
    call: Call,
    requestId: string,
    { timeoutMs = context.timeoutMs, signal }: Pick<RequestOptions, "timeoutMs" | "signal">,
  ) {
    this.#context = context;
    this.#call = call;
    this.#requestId = requestId;
    this.#deadline = new Deadline(timeoutMs, signal);
  }

  /** Sends the request once, and reads the response to its end. Never rejects. */
  async run(apiKey: string, headers: RequestOptions["headers"]): Promise<AttemptOutcome> {
    const { clock, ids } = this.#context;
    const call = this.#call;
    const requestId = this.#requestId;
    ids.requests.add(requestId);
    try {
      const whole = await Promise.race([this.#receive(apiKey, headers), this.#deadline.ended]);
      const response = responseOf(whole, this.#received.text, requestId, clock.now());
      return foreignTask(response, call, requestId, ids.tasks) ?? { kind: "received", response };
    } catch (cause) {
      // A response of a custom `fetch` may have a `cancel` that throws.
      (async () => this.#reader?.cancel(this.#refusal))().catch(() => {});
      return this.#outcomeOf(cause);
    } finally {
      this.#deadline.clear();
    }
  }

  async #receive(apiKey: string, given: RequestOptions["headers"]): Promise<Response> {
    const { baseUrl, fetch, ids } = this.#context;
    const { method, path, body } = this.#call;
    const sent =
      body === undefined ? null : oneShotBody(body, () => this.#beginSending(this.#deadline.isOverdue));
    const own: Record<string, string> = {
      Accept: "application/json",
      [HEADERS.requestId]: this.#requestId,
      [HEADERS.apiKey]: apiKey,
      ...sent?.headers,
    };
    const request: OutgoingRequest = {
      method,
      headers: given === undefined ? own : withCallersHeaders(given, own),
      body: sent?.body ?? null,
      redirect: "manual",
    };
    // A replaced global `fetch` may be restored before the request fails.
    this.#address = isPlatforms(fetch) ? null : baseUrl;
    // A custom `fetch` may send something without reading the body.
    if (!sent?.isLazy || this.#address !== null) this.#beginSending();
    const response = await sendRequest(fetch, baseUrl + path, request, this.#deadline);
    this.#response = response;
    this.#reader = response.body?.getReader();
    if (namesAnotherRequest(response.headers, this.#requestId, ids.requests)) this.#refuse("foreign");
    await this.#readBody();
    return response;
  }

  /**
   * From here on, the request may reach the service, and the POST of a run completes even if the caller aborts.
   *
   * @param isOver - a process that was suspended while it connected must not send its request afterwards: by then, other processes
   * may have found that it created no task
   */
  #beginSending(isOver = this.#deadline.signal.aborted): void {
    const { inFlight } = this.#call;
    this.#isUnsent ||= isOver;
    if (this.#isUnsent) throw new Error("The time limit has passed.");
    if (inFlight === undefined) return;
    inFlight.call = this.#call;
    this.#deadline.callerAbort.remove();
  }

  /** Reads piece by piece, so that the beginning of a body that breaks off is known. */
  async #readBody(): Promise<void> {
    const reader = this.#reader;
    let left = MAX_RESPONSE_BYTES;
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      const { value } = next;
      // A custom `fetch` may return anything. A chunk that can't be decoded must not discard those before it.
      if (!ArrayBuffer.isView(value))
        throw new TypeError("the body of the response contains something other than bytes");
      this.#received.add(value.subarray(0, left));
      left -= value.byteLength;
      if (left < 0) this.#refuse("too_large");
    }
    this.#received.end();
  }

  /** Throws, so that nothing more is read: `#outcomeOf` says why. */
  #refuse(refusal: "foreign" | "too_large"): never {
    this.#refusal = refusal;
    throw new Error();
  }

  /** How an exchange ended that threw. The `cause` may be of a custom `fetch`, and throw when it is inspected. */
  #outcomeOf(cause: unknown): AttemptOutcome {
    const { baseUrl, clock } = this.#context;
    const { signal, timeoutMs, timedOut } = this.#deadline;
    const { text } = this.#received;
    const response = this.#response;
    const status = response?.status ?? null;
    const remaining = response === undefined ? null : remainingOf(response.headers);
    const failure = { url: baseUrl + this.#call.path, timeoutMs, status, text, remaining };
    const isUnsent = response === undefined && this.#isUnsent !== false;
    this.#isUnsent = isUnsent;
    if (signal.aborted && !timedOut)
      return { ...failure, kind: isUnsent ? "aborted_before_sending" : "aborted", cause: signal.reason };
    if (this.#refusal === "foreign") return foreign("X-Request-Id", "belongs to another request");
    if (response !== undefined && !response.ok)
      return { kind: "received", response: responseOf(response, text, this.#requestId, clock.now()) };
    if (this.#refusal === "too_large") {
      const issue = { path: "", message: `is larger than ${MAX_RESPONSE_BYTES} bytes` };
      return { kind: "too_large", status, text, issue, remaining };
    }
    if (timedOut && !isUnsent) return { ...failure, kind: "timed_out", cause: undefined };
    const isNeverSent = isUnsent || (response === undefined && certainlyNeverSent(cause, this.#address));
    return { ...failure, kind: isNeverSent ? "never_sent" : "connection_lost", cause };
  }
}

/** The SDK's headers replace those of the caller, in any capitalization. */
function withCallersHeaders(given: HeadersInit, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}
