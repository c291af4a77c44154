import { digest } from "../random/random.js";
import type { Exchange } from "./exchange.js";
import { Refusal } from "./refusal.js";

/** Deeper than this no part of the emulator, and no reader of its answers, has to go. */
const DEEPEST_NESTING = 500;

const decoder = new TextDecoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true });

/** A text, and what it says as JSON. */
interface JsonText {
  readonly text: string;
  readonly value: unknown;
}

/** A body that is known again when it is sent again. */
export interface MarkedBody {
  /** `null` where it is no JSON. */
  readonly json: JsonText | null;
  /** The same JSON has the same mark, however it is written, and so has what can't be read. */
  readonly fingerprint: string;
}

/** Reads a body, whatever it is, for everybody who wants to know of it. */
export function markBody(body: Exchange["body"]): MarkedBody {
  if (!(body instanceof Uint8Array)) return { json: null, fingerprint: "" };
  const json = parseJson(body);
  return { json, fingerprint: digest(json === null ? decoder.decode(body) : canonicalOf(json)) };
}

/** The JSON of a request's body. The order of its errors is fixed: content type, size, JSON, depth. */
export function readJsonBody(
  { headers, body }: Exchange,
  { json = parseJson(body), deepest = DEEPEST_NESTING }: { json?: JsonText | null; deepest?: number } = {},
): unknown {
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
  if (json === null) throw new Refusal("invalid_json", "Failed to read the body: it is not valid JSON");
  if (isTooDeep(json.value, deepest))
    throw new Refusal("invalid_request_body", "Failed to read the body: it is nested too deeply");
  return json.value;
}

function parseJson(body: Exchange["body"]): JsonText | null {
  if (!(body instanceof Uint8Array)) return null;
  try {
    const text = strictDecoder.decode(body);
    return { text, value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** The one way to write this JSON; what is nested too deeply to be gone through stands for itself. */
function canonicalOf({ text, value }: JsonText): string {
  try {
    return JSON.stringify(value, inOrder);
  } catch {
    return text;
  }
}

/** An object with its fields in the order of their names; anything else as it is. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Level by level, so that no depth can exhaust the stack. */
function isTooDeep(value: unknown, deepest: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}
