import { DEEPEST_NESTING, nestsDeeper } from "../../src/contract/nesting.js";
import type { HttpRequest, RequestHead } from "./messages.js";
import { Refusal } from "./refusal.js";

const decoder = new TextDecoder("utf-8", { fatal: true });

export function parseBody(body: HttpRequest["body"]): unknown {
  if (!ArrayBuffer.isView(body)) return undefined;
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
}

/** The parsed body of a request. Its errors come in a fixed order: content type, size, JSON, depth. */
export function requireJson(
  { headers, body }: HttpRequest,
  json: unknown = parseBody(body),
  deepest = DEEPEST_NESTING,
): unknown {
  if (!hasJsonType(headers))
    throw new Refusal("invalid_request_body", "The Content-Type must be application/json.");
  if (body === "too_large") throw new Refusal("invalid_request_body", "The body is too large.");
  if (json === undefined) throw new Refusal("invalid_json", "The body is not valid JSON.");
  if (nestsDeeper(json, deepest))
    throw new Refusal("invalid_request_body", "The JSON of the body is nested too deeply.");
  return json;
}

export function hasJsonType(headers: RequestHead["headers"]): boolean {
  const [mediaType = ""] = (headers.get("Content-Type") ?? "").split(";");
  return mediaType.trim().toLowerCase() === "application/json";
}
