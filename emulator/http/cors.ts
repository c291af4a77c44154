import { randomUuid } from "../time/random.js";
import {
  completeResponse,
  createResponse,
  emptyResponse,
  type HttpRequest,
  type HttpResponse,
  type RequestTarget,
} from "./messages.js";

/** The headers of a file that scripts of a page may read, besides those that every script may. */
const EXPOSED = ["Accept-Ranges", "Content-Length", "Content-Range", "Content-Type", "ETag", "X-Request-Id"];

const FILE_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED.join(", "),
};

const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "Range, If-Range",
  "Access-Control-Max-Age": "86400",
};

/** Whether a path has files: audio at the service's address, and everything of the providers. */
function isFile({ site, path }: Pick<RequestTarget, "site" | "path">): boolean {
  return site === "provider" || path.startsWith("/audio/");
}

/** Lets pages of every origin read a file. The API has no such headers: keys belong in server-side code (Authentication, 8). */
export function allowPages(request: Pick<RequestTarget, "site" | "path">, response: HttpResponse): void {
  if (isFile(request)) Object.assign(response.headers, FILE_HEADERS);
}

/**
 * The response to a browser's question whether a page may read a file with certain headers; `null` for any other request.
 * The question is no request to the service: it is not logged, and no fault applies to it.
 */
export function preflightResponse({ seed }: { seed: number }, request: HttpRequest): HttpResponse | null {
  const { method, headers, arrival } = request;
  const isPreflight = method === "OPTIONS" && headers.get("Access-Control-Request-Method") !== null;
  if (!isPreflight || !isFile(request)) return null;
  const response = emptyResponse(createResponse(204, "", ""));
  Object.assign(response.headers, PREFLIGHT_HEADERS);
  return completeResponse(response, randomUuid(seed, "preflight", arrival.ordinal));
}
