import type { Exchange } from "./exchange.js";
import { fingerprintOf, fingerprintOfText } from "./fingerprint.js";
import { Refusal } from "./refusal.js";

/** Deeper than this no part of the emulator, and no reader of its answers, has to go. */
const DEEPEST_NESTING = 500;

const decoder = new TextDecoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true });

/** What a body says as JSON. */
interface Json {
  readonly value: unknown;
}

/** A body that is known again when it is sent again. */
export interface MarkedBody {
  /** `null` where it is no JSON. */
  readonly json: Json | null;
  /** The same JSON has the same mark, however it is written, and so has what can't be read. */
  readonly fingerprint: string;
}

/** Reads a body, whatever it is, for everybody who wants to know of it. */
export function markBody(body: Exchange["body"]): MarkedBody {
  if (!(body instanceof Uint8Array)) return { json: null, fingerprint: "" };
  const json = parseJson(body);
  const isKnown = json !== null && !isDeeperThan(DEEPEST_NESTING, json.value);
  return { json, fingerprint: isKnown ? fingerprintOf(json.value) : fingerprintOfText(decoder.decode(body)) };
}

/** The JSON of a request's body. The order of its errors is fixed: content type, size, JSON, depth. */
export function readJsonBody(
  { headers, body }: Exchange,
  { json = parseJson(body), deepest = DEEPEST_NESTING }: { json?: Json | null; deepest?: number } = {},
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
  if (isDeeperThan(deepest, json.value))
    throw new Refusal("invalid_request_body", "Failed to read the body: it is nested too deeply");
  return json.value;
}

function parseJson(body: Exchange["body"]): Json | null {
  if (!(body instanceof Uint8Array)) return null;
  try {
    return { value: JSON.parse(strictDecoder.decode(body)) };
  } catch {
    return null;
  }
}

/** Whether anything is in it below so many levels. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const inside = Object.values(value);
  return levels === 0 ? inside.length > 0 : inside.some((each) => isDeeperThan(levels - 1, each));
}
