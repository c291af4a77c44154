import type { RequestIssue } from "../../src/contract/request-rules.js";
import { HEADERS, isSafeRequestId, type Model } from "../../src/contract/service.js";
import type { Site } from "../core/audio-store.js";

export interface RequestHead {
  /** Whether the request went to the service's origin or to one of the providers'. */
  readonly site: Site;
  /** Which provider's origin; absent where the providers share one. */
  readonly provider?: Model | undefined;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark. Only the control plane reads it. */
  readonly query: string;
  readonly headers: Pick<Headers, "get" | "entries">;
  readonly origins: Origins;
  /** Whether the caller has aborted the request, or its connection has ended. */
  readonly isAborted: boolean;
  /** A person sent it from the dashboard: the audit ignores it. */
  readonly isManual?: true;
  /** Restricts the control plane; absent in process, where every caller is trusted. */
  readonly controlAccess?: ControlAccess;
}

/** What decides how much of a request's body is read. */
export type AccessedHead = Pick<RequestHead, "site" | "path" | "headers" | "origins" | "controlAccess">;

export type RequestTarget = Pick<RequestHead, "site" | "provider" | "path" | "query">;

export interface HttpRequest extends RequestHead {
  /** `"too_large"`: more than the limit. */
  readonly body: Uint8Array | "too_large" | null;
  readonly arrival: Arrival;
}

/** The addresses at which one adapter serves the emulator. */
export interface Origins {
  /** The service address, which may have a path: `https://api.example.com/music`. */
  readonly service: string;
  readonly providers: Readonly<Record<Model, string>>;
}

export interface Arrival {
  /** Reading stops after so many bytes. With 0, the response is sent without waiting for the body. */
  readonly bodyLimit: number;
  readonly ordinal: number;
  /** The core's generation at the arrival. A request has no effect after the state was replaced. */
  readonly generation: number;
}

/** Where a request over the network came from, and which host names open the control plane to other machines. */
export interface ControlAccess {
  /** The server's own origin; `origins` may follow the request's `Host`. */
  readonly origin: string;
  /** Whether the connection comes from this machine, by the address of its socket. */
  readonly isLocal: boolean;
  /** In lower case, without a port. */
  readonly hosts: readonly string[];
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** JSON stays a string: most adapters write it as it is. */
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** Sent after the body, until the stream ends or the client disconnects. Such a response has no length. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The connection breaks after so many bytes of the body. */
  readonly breaksAfterBytes?: number;
  /** For the log; `null` for a success. */
  readonly errorCode: string | null;
}

/** How a request ends. `"disconnect"`: the connection breaks; `"stall"`: it stays open without a response. */
export type HttpOutcome = HttpResponse | "disconnect" | "stall";

/** The request ID that the caller sent, if it is safe (Authentication, 7). */
export function sentRequestId({ headers }: Pick<HttpRequest, "headers">): string | null {
  const id = headers.get(HEADERS.requestId);
  return id !== null && isSafeRequestId(id) ? id : null;
}

export const CONTROL_PLANE = "/_emulator";

export function isControlCall({ site, path }: Pick<RequestHead, "site" | "path">): boolean {
  return site === "service" && (path === CONTROL_PLANE || path.startsWith(`${CONTROL_PLANE}/`));
}

const encoder = new TextEncoder();

export function bytesOf(body: HttpResponse["body"]): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? encoder.encode(body) : body;
}

type Body = HttpResponse["body"];

/** Where the bytes of short strings are counted: to allocate them would take longer than all else. */
const scratch = new Uint8Array(2 ** 14);

function byteLength(body: Body): number {
  const isShort = typeof body === "string" && 3 * body.length <= scratch.length;
  return isShort ? encoder.encodeInto(body, scratch).written : bytesOf(body).byteLength;
}

export function createResponse(status: number, contentType: string, body: Body): HttpResponse {
  const headers = { "Content-Type": contentType, "Content-Length": String(byteLength(body)) };
  return { status, headers, body, errorCode: null };
}

export function jsonResponse(status: number, body: unknown): HttpResponse {
  return createResponse(status, "application/json", JSON.stringify(body));
}

export interface ErrorFields {
  /** `Retry-After`, in seconds. */
  wait?: number | undefined;
  /** Of the control plane alone: the service's error body has no such field. */
  issues?: readonly RequestIssue[];
}

export function errorResponse(
  code: number,
  errorCode: string | null,
  message: string,
  { wait, issues }: ErrorFields = {},
): HttpResponse {
  const body = { code, error_code: errorCode ?? undefined, message, retry_after_seconds: wait, issues };
  const response = jsonResponse(code, body);
  if (wait !== undefined) response.headers[HEADERS.retryAfter] = String(wait);
  return { ...response, errorCode };
}

/** Adds the headers of every response (Endpoints). The response to `HEAD` has no body, and keeps its length. */
export function completeResponse(response: HttpResponse, requestId: string, method?: string): HttpResponse {
  response.headers[HEADERS.requestId] = requestId;
  response.headers["X-Emulator"] = "async-music";
  return method === "HEAD" ? { ...response, body: "" } : response;
}

/** Halves the body. JSON gets the new length, and cannot be parsed; for any other body, the connection breaks. */
export function halved(response: HttpResponse): HttpResponse {
  const bytes = bytesOf(response.body);
  const half = Math.floor(bytes.byteLength / 2);
  if (response.headers["Content-Type"] !== "application/json") return { ...response, breaksAfterBytes: half };
  const headers = { ...response.headers, "Content-Length": String(half) };
  return { ...response, headers, body: bytes.slice(0, half) };
}

export function emptyResponse({ headers, ...response }: HttpResponse): HttpResponse {
  const { "Content-Type": _, ...others } = headers;
  return { ...response, headers: { ...others, "Content-Length": "0" }, body: "" };
}
