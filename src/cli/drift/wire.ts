import { API_PREFIX, HEADERS } from "../../contract/service.js";

/** How a request of the SDK is changed before it is sent, to test what the SDK itself never sends. A POST needs a `body`. */
export interface Change {
  /** `null` removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly path?: string;
  readonly body?: string;
}

/** A response to a request of the SDK, as it arrived. */
export interface Exchange {
  /** The `X-Request-Id` that was sent. */
  readonly sentId: string | null;
  readonly status: number;
  readonly headers: Headers;
  /** `undefined` if the body is not JSON. */
  readonly body: unknown;
}

export type Wire = ReturnType<typeof createWire>;

/** A `fetch` for the SDK that records the responses of the API, and changes requests. */
export function createWire(send: typeof fetch, baseUrl: string) {
  const api = `${baseUrl.replace(/(?<!\/)\/+$/, "")}${API_PREFIX}/`;
  let change: Change | undefined;
  /** Of the current call. A late response to an earlier one is not taken for one to this call. */
  let call: { latest: Promise<Exchange | null> | null } = { latest: null };
  const wire = {
    /** How many requests were sent to the API. */
    requests: 0,
    /** The first 429. */
    limited: null as Exchange | null,

    async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
      const given = input instanceof Request ? input : new Request(input, init);
      if (!given.url.startsWith(api)) return send(input, init);
      const request = change === undefined ? null : changed(given, change, baseUrl);
      wire.requests++;
      const own = call;
      own.latest = null;
      const response = await (request === null ? send(input, init) : send(request));
      own.latest = record(response.clone(), (request ?? given).headers.get(HEADERS.requestId));
      return response;
    },

    /** Carries out a call of the SDK. Returns the last response to it; `null` without one. */
    async observe(send: () => PromiseLike<unknown>, wanted?: Change) {
      const own: typeof call = { latest: null };
      call = own;
      change = wanted;
      const error: unknown = await Promise.resolve(send()).then(
        () => null,
        (reason: unknown) => reason,
      );
      change = undefined;
      return { exchange: own.latest === null ? null : await own.latest, error };
    },
  };

  const record = async (response: Response, sentId: string | null): Promise<Exchange | null> => {
    const text = await response.text().catch(() => null);
    if (text === null) return null;
    const { status, headers } = response;
    const exchange = { sentId, status, headers, body: parse(text) };
    if (status === 429) wire.limited ??= exchange;
    return exchange;
  };
  return wire;
}

function changed(request: Request, { headers = {}, path, body }: Change, baseUrl: string): Request {
  const all = new Headers(request.headers);
  for (const [name, value] of Object.entries(headers))
    value === null ? all.delete(name) : all.set(name, value);
  if (body !== undefined) all.delete("Content-Length");
  const url = path === undefined ? request.url : `${baseUrl.replace(/(?<!\/)\/+$/, "")}${path}`;
  const { method, signal } = request;
  return new Request(url, {
    method,
    headers: all,
    signal,
    redirect: "manual",
    ...(body !== undefined && { body }),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
