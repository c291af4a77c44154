import { HEADERS, isRecord, isSafeRequestId } from "../../contract/service.js";
import { canonicalJson, isUuid } from "../../contract/text.js";
import type { Exchange } from "./wire.js";

/** What one part of a probe showed, by field: values where they matter, otherwise types. */
export type Fields = Record<string, Value>;

export type Value = string | number | boolean | null;

/** Fields whose values are compared. Of all others, only the type is. */
const VALUES = new Set(
  `code error_code data.type data.model data.status data.audio_format data.error_code data.retryable
  data.credits_charged data.credits_cost data.output.task_type data.output.status`.match(/\S+/g),
);

/** The documented fields of clips. Others differ by provider, and may disappear without notice. */
const CLIP_FIELDS = ["id", "audio_url"];
const SONG_FIELDS = [...CLIP_FIELDS, "image_url", "title", "metadata"];
const METADATA_FIELDS = ["duration", "tags", "prompt"];

/** What a response should repeat of a task. */
export interface Sent {
  readonly input?: unknown;
  readonly taskId?: string;
}

/** Status, headers and body of a response, as fields. */
export function responseFields({ status, headers, body, sentId }: Exchange, sent: Sent = {}): Fields {
  const fields: Fields = {
    status,
    "Content-Type header": mediaType(headers.get("Content-Type")) ?? "missing",
    "X-Request-Id header": requestIdField(headers.get(HEADERS.requestId), sentId),
    "Retry-After header": countField(headers.get(HEADERS.retryAfter)),
  };
  // An early 401 may omit it (Authentication, 4).
  if (status !== 401)
    fields["X-RateLimit-Remaining header"] = countField(headers.get(HEADERS.rateLimitRemaining));
  fields["body"] = body === undefined ? "not JSON" : `JSON ${isRecord(body) ? "object" : typeOf(body, "")}`;
  if (isRecord(body)) addFields(fields, withoutUndocumented(body), "", sent);
  return fields;
}

/** The type and subtype of a media type, without parameters. */
export function mediaType(header: string | null): string | null {
  return header === null ? null : (header.split(";")[0] ?? "").trim().toLowerCase();
}

function requestIdField(received: string | null, sent: string | null): string {
  if (received === null) return "missing";
  if (received === sent) return "the request's";
  return isSafeRequestId(received) ? "the service's own" : "unsafe";
}

function countField(header: string | null): string {
  if (header === null) return "missing";
  return /^\d+$/.test(header) ? "whole number" : "not a whole number";
}

function addFields(fields: Fields, value: Record<string, unknown>, prefix: string, sent: Sent): void {
  for (const [name, each] of Object.entries(value)) {
    const path = `${prefix}${name}`;
    if (path === "data.input") {
      fields[path] = canonicalJson(each) === canonicalJson(sent.input) ? "as sent" : typeOf(each, name);
    } else if (path === "data.task_id" && sent.taskId !== undefined) {
      fields[path] = each === sent.taskId ? "the task's" : typeOf(each, name);
    } else if (path === "data.total") {
      const { available, frozen } = value;
      fields[path] = each === Number(available) + Number(frozen) ? "available + frozen" : "another number";
    } else if (VALUES.has(path) && isValue(each)) {
      fields[path] = each === "queued" || each === "processing" ? "queued or processing" : each;
    } else if (isRecord(each)) {
      fields[path] = "object";
      addFields(fields, each, `${path}.`, sent);
    } else if (Array.isArray(each)) {
      fields[path] = each.length === 0 ? "empty array" : "array";
      for (const item of each) addItem(fields, item, `${path}[]`, sent);
    } else fields[path] = typeOf(each, name);
  }
}

/** The items of an array share their fields: where they differ, all types are listed. */
function addItem(fields: Fields, item: unknown, path: string, sent: Sent): void {
  const own: Fields = { [path]: typeOf(item, "") };
  if (isRecord(item)) addFields(own, item, `${path}.`, sent);
  for (const [name, type] of Object.entries(own)) {
    const known = fields[name];
    fields[name] = known === undefined || known === type ? type : [known, type].sort().join(" or ");
  }
}

function isValue(value: unknown): value is Value {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function typeOf(value: unknown, name: string): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number")
    return name === "duration" ? "number" : Number.isInteger(value) ? "whole number" : "fraction";
  if (typeof value !== "string") return typeof value;
  if (name === "task_id") return isUuid(value) ? "UUID" : "string";
  if (name.endsWith("_at")) return DATE_TIME.test(value) ? "date-time" : "string";
  if (name.endsWith("_url")) return URL.canParse(value) ? "URL" : "string";
  return "string";
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The body without the undocumented fields of its clips. */
function withoutUndocumented(body: Record<string, unknown>): Record<string, unknown> {
  const { data } = body;
  if (!isRecord(data) || !isRecord(data["output"]) || !Array.isArray(data["output"]["result"])) return body;
  const allowed = data["type"] === "music" ? SONG_FIELDS : CLIP_FIELDS;
  const result = data["output"]["result"].map((clip: unknown) => {
    if (!isRecord(clip)) return clip;
    const kept = only(clip, allowed);
    const { metadata } = kept;
    return isRecord(metadata) ? { ...kept, metadata: only(metadata, METADATA_FIELDS) } : kept;
  });
  return { ...body, data: { ...data, output: { ...data["output"], result } } };
}

function only(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** The audio formats by their first bytes. */
const SIGNATURES: readonly (readonly [types: RegExp, signature: RegExp])[] = [
  [/^audio\/(?:mpeg|mp3)$/, /^(?:ID3|\xff[\xe2-\xff])/],
  [/^audio\/(?:x-|vnd\.)?wave?$/, /^RIFF/],
  [/^(?:audio|application)\/(?:ogg|opus|vorbis)$/, /^OggS/],
  [/^audio\/(?:x-)?flac$/, /^fLaC/],
  [/^audio\/(?:mp4|x-m4a|m4a|aac)$/, /^[\s\S]{4}ftyp/],
];

/** Whether the first bytes of audio are in the format of its media type. */
export function formatField(type: string | null, start: Uint8Array): string {
  const bytes = String.fromCharCode(...start.subarray(0, 12));
  const found = SIGNATURES.find(([, signature]) => signature.test(bytes));
  if (found === undefined)
    return SIGNATURES.some(([types]) => types.test(type ?? "")) ? "unknown" : "as stated";
  return found[0].test(type ?? "") ? "as stated" : "not as stated";
}
