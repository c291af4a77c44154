import type { Exchange } from "./exchange.js";
import { Refusal } from "./refusal.js";

/** Deeper than this no part of the emulator, and no reader of its answers, has to go. */
const DEEPEST_NESTING = 500;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** What a body says as JSON. */
interface Json {
  readonly value: unknown;
}

/** The JSON of a request's body. The order of its errors is fixed: content type, size, JSON, depth. */
export function readJsonBody({ headers, body }: Exchange, deepest = DEEPEST_NESTING): unknown {
  const [mediaType = ""] = (headers.get("Content-Type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw new Refusal(
      "invalid_request_body",
      "Failed to read the body: its Content-Type must be application/json",
    );
  }
  if (body === "too_large") {
    throw new Refusal("invalid_request_body", "Failed to read the body: it is too large");
  }
  const json = parseJson(body);
  if (json === null) throw new Refusal("invalid_json", "Failed to read the body: it is not valid JSON");
  if (isTooDeep(json.value, deepest))
    throw new Refusal("invalid_request_body", "Failed to read the body: it is nested too deeply");
  return json.value;
}

/** `null` where it is none. */
export function parseJson(body: Exchange["body"]): Json | null {
  if (!(body instanceof Uint8Array)) return null;
  try {
    return { value: JSON.parse(decoder.decode(body)) };
  } catch {
    return null;
  }
}

/** Whether anything is in it below so many levels. */
export function isTooDeep(value: unknown, levels = DEEPEST_NESTING): boolean {
  if (typeof value !== "object" || value === null) return false;
  const inside = Object.values(value);
  return levels === 0 ? inside.length > 0 : inside.some((each) => isTooDeep(each, levels - 1));
}
