import type { HttpRequest } from "../../http/messages.js";
import { Refusal, requireJson } from "../../http/messages.js";
import type { Call } from "./call.js";

/** A snapshot holds inputs that are nested as deeply as the API takes them, and is a few levels itself. */
const DEEPEST_NESTING = 600;

/**
 * The JSON of a call's body. No body at all is as good as an empty object. Whatever else comes must say that it is
 * JSON, also where nobody reads it: a page can send everything but that without being asked for permission.
 */
export function readControlBody(request: HttpRequest, call: Call): unknown {
  const { body, headers } = request;
  const isEmpty = body === null || (body !== "too_large" && body.byteLength === 0);
  if (isEmpty && /^(application\/json\b.*)?$/i.test(headers.get("Content-Type") ?? "")) return {};
  const value = requireJson(request, undefined, DEEPEST_NESTING);
  if (call.body === null && !isEmptyObject(value))
    throw new Refusal("invalid_request_body", "Failed to read the body: this call has none");
  return value;
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}
