import { digest } from "../random/random.js";
import type { Exchange } from "./exchange.js";
import { Refusal } from "./refusal.js";

/** Deeper than this no part of the emulator, and no reader of its answers, has to go. */
const DEEPEST_NESTING = 500;

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
  const { text, value } = parse(body);
  if (isTooDeep(text, value, deepest))
    throw new Refusal("invalid_request_body", "Failed to read the body: it is nested too deeply");
  return value;
}

/**
 * A mark by which a body is known when it is sent again, whether or not it can be read: the same JSON has the same mark,
 * however it is written.
 */
export function fingerprintOf({ body }: Exchange): string {
  if (!(body instanceof Uint8Array)) return "";
  const text = new TextDecoder().decode(body);
  return digest(canonicalOf(text));
}

/** The one way to write this JSON; what is none, or is nested too deeply to be gone through, stands for itself. */
function canonicalOf(text: string): string {
  try {
    return write(JSON.parse(text));
  } catch {
    return text;
  }
}

function write(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`).join()}}`;
}

function parse(body: Uint8Array | null): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body ?? new Uint8Array());
    return { text, value: JSON.parse(text) };
  } catch {
    throw new Refusal("invalid_json", "Failed to read the body: it is not valid JSON");
  }
}

/** Level by level, so that no depth can exhaust the stack; most bodies have too few brackets to be looked at. */
function isTooDeep(text: string, value: unknown, deepest: number): boolean {
  if (countOpeningBrackets(text, deepest) <= deepest) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

function countOpeningBrackets(text: string, most: number): number {
  return text.split(/[[{]/, most + 2).length - 1;
}
