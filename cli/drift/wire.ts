import { API_PREFIX, HEADERS } from "../../src/contract/service.js";

/** How a request of the SDK is changed before it is sent, to test what the SDK itself never sends. A POST needs a `body`. */
export interface RequestChange {
  /** `null` removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly path?: string;
  readonly body?: string;
}

/** A response to a request of the SDK, as it arrived. */
export interface RecordedResponse {
  /** The `X-Request-Id` that was sent. */
  readonly sentId: string | null;
  readonly status: number;
  readonly headers: Headers;
  /** `undefined` if the body is not JSON. */
  readonly body: unknown;
  /** When it was sent, by its `Date` header; without one, when it arrived, by the clock of this machine. */
  readonly date: Instant;
}

/** A point in time, in milliseconds, and by how much a time that the service states may differ from it. */
export interface Instant {
  readonly ms: number;
  readonly toleranceMs: number;
}

/** `Date` has whole seconds, and the servers of a service are rarely more than a few seconds apart. */
const DATE_TOLERANCE_MS = 5000;
/** The clock of this machine may differ more. */
const OWN_CLOCK_TOLERANCE_MS = 60_000;

/** A `fetch` for the SDK that records the responses of the API, and changes requests. */
export class Wire {
  /** How many requests were sent to the API. */
  requests = 0;
  /** The first 429. */
  limited: RecordedResponse | null = null;
  /** How many calls had a server error, and then a response that was none. */
  recovered = 0;
  readonly #send: typeof fetch;
  readonly #origin: string;
  readonly #now: () => number;
  #change: RequestChange | undefined;
  /** The current call. A late response to an earlier one is not taken for one to this call. */
  #call: ObservedCall = { latest: null, serverErrors: 0 };

  constructor(send: typeof fetch, baseUrl: string, now: () => number) {
    this.#send = send;
    this.#origin = baseUrl.replace(/(?<!\/)\/+$/, "");
    this.#now = now;
  }

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const given = input instanceof Request ? input : new Request(input, init);
    const send = this.#send;
    if (!given.url.startsWith(`${this.#origin}${API_PREFIX}/`)) return send(input, init);
    const request = this.#change === undefined ? null : this.#changed(given, this.#change);
    this.requests++;
    const call = this.#call;
    call.latest = null;
    const response = await (request === null ? send(input, init) : send(request));
    if (response.status >= 500) call.serverErrors++;
    call.latest = this.#record(response.clone(), (request ?? given).headers.get(HEADERS.requestId));
    return response;
  };

  /** Carries out a call of the SDK. Returns the last response to it; `null` without one. */
  async observe(send: () => PromiseLike<unknown>, change?: RequestChange) {
    const call: ObservedCall = { latest: null, serverErrors: 0 };
    this.#call = call;
    this.#change = change;
    const error: unknown = await Promise.resolve(send()).then(
      () => null,
      (reason: unknown) => reason,
    );
    this.#change = undefined;
    const response = await call.latest;
    if (call.serverErrors > 0 && response !== null && response.status < 500) this.recovered++;
    return { response, error };
  }

  async #record(response: Response, sentId: string | null): Promise<RecordedResponse | null> {
    const text = await response.text().catch(() => null);
    if (text === null) return null;
    const { status, headers } = response;
    const recorded = { sentId, status, headers, body: parsedJson(text), date: dateOf(headers, this.#now()) };
    if (status === 429) this.limited ??= recorded;
    return recorded;
  }

  #changed(request: Request, { headers = {}, path, body }: RequestChange): Request {
    const all = new Headers(request.headers);
    for (const [name, value] of Object.entries(headers))
      value === null ? all.delete(name) : all.set(name, value);
    if (body !== undefined) all.delete("Content-Length");
    const { method, signal } = request;
    return new Request(path === undefined ? request.url : `${this.#origin}${path}`, {
      method,
      headers: all,
      signal,
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
  }
}

interface ObservedCall {
  /** The last response. */
  latest: Promise<RecordedResponse | null> | null;
  serverErrors: number;
}

function dateOf(headers: Headers, now: number): Instant {
  const ms = Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(ms)
    ? { ms: now, toleranceMs: OWN_CLOCK_TOLERANCE_MS }
    : { ms, toleranceMs: DATE_TOLERANCE_MS };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
