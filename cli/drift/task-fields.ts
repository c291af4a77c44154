import { canonicalJson } from "../../src/contract/canonical-json.js";
import { isFinalStatus, isRecord, LIMITS, TASK_ERROR_CODES } from "../../src/contract/service.js";
import { addFields, isValue, type ObservedFields, typeOf, type Value } from "./fields.js";
import type { Instant } from "./wire.js";

/** The request of a task, and what is known of the task. */
export interface CreatedFrom {
  readonly request: Record<string, unknown>;
  /** The documented price. */
  readonly credits: number;
  readonly hasUnknownClip: boolean;
  /** `null` in the response to its creation. */
  readonly task: KnownTask | null;
}

export interface KnownTask {
  readonly id: string;
  readonly charged: unknown;
  readonly createdAt: unknown;
  /** When the task was last read without an end. */
  unfinishedAt: Instant | null;
}

type Data = Record<string, unknown>;

/**
 * Adds the fields of a task. Values that the request or the task's creation decide are compared with these, so that tasks of
 * different requests have equal fields. Alternatives that the interface allows have the same value.
 */
export function addTaskFields(fields: ObservedFields, data: Data, sent: CreatedFrom, date: Instant): void {
  const isCreation = sent.task === null;
  const shown = isCreation ? data : withComparableOutput(data, sent);
  addFields(fields, shown, "data.", (path, value) => TASK_RULES[path]?.(value, { data, sent, date }));
  fields[isCreation ? "data.credits_charged" : "data.credits_cost"] ??= "missing";
  const { output } = shown;
  if (isCreation || !isRecord(output)) return;
  if (data["status"] !== "success") fields["data.output"] = "null or an object without a result";
  else if (hasRepeatedIds(output["result"])) fields["data.output.result[].id"] = "repeated";
}

interface TaskResponse {
  readonly data: Data;
  readonly sent: CreatedFrom;
  readonly date: Instant;
}

type TaskRule = (value: unknown, response: TaskResponse) => Value | undefined;

const TASK_RULES: Readonly<Record<string, TaskRule>> = {
  "data.task_id": (value, { sent: { task } }) =>
    task === null ? typeOf(value, "task_id") : expected(value, task.id, "the task's"),
  "data.type": asSent("task_type"),
  "data.model": asSent("model"),
  "data.audio_format": asSent("audio_format"),
  "data.input": (value, { sent: { request } }) =>
    canonicalJson(value) === canonicalJson(request["input"]) ? "as sent" : typeOf(value, ""),
  "data.status": valueField,
  "data.error_code"(value, { data: { status }, sent: { hasUnknownClip } }) {
    // The service or its provider notices that a clip does not exist: the interface does not say which.
    const isEither = value === "invalid_task_input" || value === "upstream_provider_error";
    if (status === "failure" && hasUnknownClip && isEither) return NO_SUCH_CLIP;
    const isDocumented = value === null || TASK_ERROR_CODES.some((code) => code === value);
    return isDocumented && isValue(value) ? value : `${quotedValue(value)}, which is not documented`;
  },
  "data.retryable"(value, { data: { status, error_code: code } }) {
    const isOpen = status === "failure" && code === "upstream_provider_error";
    return isOpen && typeof value === "boolean" ? false : valueField(value);
  },
  "data.retry_after_seconds"(value, { data: { status } }) {
    const type = typeOf(value, "");
    const isEither = type === "null" || type === "whole number";
    return isEither && hasFailed(status) ? "whole number or null" : type;
  },
  "data.credits_charged": (value, { sent: { task, credits } }) =>
    task === null ? expected(value, credits, "the documented price") : "",
  "data.credits_cost": (value, { sent: { task } }) =>
    task === null ? "" : expected(value, task.charged, "credits_charged"),
  "data.created_at": createdAtField,
  "data.completed_at": completedAtField,
  "data.output.task_type": asSent("task_type"),
  "data.output.status"(value, { data: { status } }) {
    const internal = INTERNAL[String(status)] ?? [];
    return internal.some((each) => each === value) ? internal.join(" or ") : quotedValue(value);
  },
  "data.output.progress": textField,
  "data.output.fail_reason": textField,
  // The interface shows no type of these.
  "data.output.result[].metadata.tags": () => "any value",
  "data.output.result[].metadata.prompt": () => "any value",
};

function asSent(name: string): TaskRule {
  return (value, { sent: { request } }) => expected(value, request[name] ?? null, "as sent");
}

function valueField(value: unknown): Value {
  return isValue(value) ? value : typeOf(value, "");
}

function textField(value: unknown): Value | undefined {
  return typeof value === "string" || value === null ? "string or null" : undefined;
}

const NO_SUCH_CLIP = "invalid_task_input or upstream_provider_error";

function createdAtField(value: unknown, { sent: { task }, date }: TaskResponse): string {
  const type = typeOf(value, "created_at");
  if (task !== null && value === null) return "the submission's or null";
  if (type !== "date-time") return type;
  const ms = Date.parse(String(value));
  if (task === null) {
    if (ms > date.ms + date.toleranceMs) return "date-time in the future";
    return ms < date.ms - date.toleranceMs - LONGEST_SUBMISSION_MS ? "date-time before the request" : type;
  }
  const submitted = Date.parse(String(task.createdAt));
  const isSame = Math.abs(ms - submitted) <= TIME_ROUNDING_MS;
  return isSame || Number.isNaN(submitted) ? "the submission's or null" : "another time";
}

/** A request that has not been sent within this time has timed out. */
const LONGEST_SUBMISSION_MS = 60_000;
/** Times may be rounded to whole seconds. */
const TIME_ROUNDING_MS = 1000;

function completedAtField(value: unknown, { data, sent: { task }, date }: TaskResponse): string {
  const { status, created_at } = data;
  const type = typeOf(value, "completed_at");
  if (type !== "date-time") return type;
  const ms = Date.parse(String(value));
  const createdAt = Date.parse(String(created_at ?? task?.createdAt));
  if (ms < createdAt - TIME_ROUNDING_MS) return "date-time before created_at";
  if (ms > date.ms + date.toleranceMs) return "date-time in the future";
  const unfinished = task?.unfinishedAt ?? null;
  if (unfinished !== null && ms < unfinished.ms - unfinished.toleranceMs)
    return "date-time before a read without an end";
  const isEarly = status === "timeout" && ms < createdAt + LIMITS.taskTimeoutMs - TIME_ROUNDING_MS;
  return isEarly ? "date-time before the task timeout" : type;
}

/** The documented fields of clips. Others differ by provider, and may disappear without notice. */
const DOCUMENTED_CLIP_FIELDS = ["id", "audio_url"];
const DOCUMENTED_SONG_FIELDS = [...DOCUMENTED_CLIP_FIELDS, "image_url", "title", "metadata"];
const DOCUMENTED_METADATA = ["duration", "tags", "prompt"];

/**
 * A task whose output has only what is compared. Without a success, the output may be `null`, absent, or an object without a
 * result: these three have the same fields.
 */
function withComparableOutput(data: Data, { request }: CreatedFrom): Data {
  const { output, status, type } = data;
  if (status !== "success") {
    const open = { task_type: request["task_type"], status: INTERNAL[String(status)]?.[0] };
    return { ...data, output: output ?? { ...open, progress: null, fail_reason: null, result: null } };
  }
  if (!isRecord(output) || !Array.isArray(output["result"])) return { ...data, output };
  const clips = output["result"].map((clip) => (isRecord(clip) ? documented(clip, type) : clip));
  return { ...data, output: { ...output, result: clips } };
}

/** The internal statuses that fit a status. */
const INTERNAL: Readonly<Record<string, readonly string[]>> = {
  success: ["completed"],
  pending: ["queued", "processing"],
  running: ["queued", "processing"],
  failure: ["failed"],
  timeout: ["queued", "processing", "completed", "failed"],
};

function hasRepeatedIds(clips: unknown): boolean {
  const ids = Array.isArray(clips) ? clips.map((clip) => Object(clip).id) : [];
  return new Set(ids).size < ids.length;
}

/** A clip without its undocumented fields. */
export function documented(clip: Data, type: unknown): Data {
  const kept = only(clip, type === "music" ? DOCUMENTED_SONG_FIELDS : DOCUMENTED_CLIP_FIELDS);
  const { metadata } = kept;
  return isRecord(metadata) ? { ...kept, metadata: only(metadata, DOCUMENTED_METADATA) } : kept;
}

function only(value: Data, names: readonly string[]): Data {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function hasFailed(status: unknown): boolean {
  return isFinalStatus(String(status)) && status !== "success";
}

/** The label, if the value is the expected one. */
function expected(value: unknown, wanted: unknown, label: string): string {
  if (value === undefined) return "missing";
  return value === wanted ? label : `${quotedValue(value)} instead of ${quotedValue(wanted)}`;
}

/** A value as JSON, and objects as their type: they may be long. */
function quotedValue(value: unknown): string {
  return isValue(value) ? JSON.stringify(value) : typeOf(value, "");
}
