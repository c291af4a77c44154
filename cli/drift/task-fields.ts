import { isFinalStatus, isRecord, LIMITS, TASK_ERROR_CODES } from "../../src/contract/service.js";
import { canonicalJson } from "../../src/contract/text.js";
import { addFields, type Fields, isValue, mergeFields, typeOf } from "./fields.js";
import type { Instant } from "./wire.js";

/** The request of a task, and what is known of the task. */
export interface Sent {
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
 * The fields of a task. Values that the request or the task's creation decide are compared with these, so that tasks of
 * different requests have equal fields. Alternatives that the interface allows have the same value.
 */
export function addTaskFields(fields: Fields, data: Data, sent: Sent, date: Instant): void {
  const { request, credits, task } = sent;
  const { output, ...rest } = data;
  for (const [name, value] of Object.entries(rest)) {
    const path = `data.${name}`;
    const rule = RULES[name];
    if (rule !== undefined) fields[path] = rule(value, data, sent, date);
    else addFields(fields, { [name]: value }, "data.");
  }
  if (task === null) {
    if (output !== undefined) addFields(fields, { output }, "data.");
    fields["data.credits_charged"] = expected(data["credits_charged"], credits, "the documented price");
  } else {
    fields["data.credits_cost"] = expected(data["credits_cost"], task.charged, "credits_charged");
    addOutputFields(fields, output, data, request);
  }
}

type Rule = (value: unknown, data: Data, sent: Sent, date: Instant) => Fields[string];

const RULES: Readonly<Record<string, Rule>> = {
  task_id: (value, _, { task }) =>
    task === null ? typeOf(value, "task_id") : expected(value, task.id, "the task's"),
  type: (value, _, { request }) => expected(value, request["task_type"], "as sent"),
  model: (value, _, { request }) => expected(value, request["model"], "as sent"),
  audio_format: (value, _, { request }) => expected(value, request["audio_format"] ?? null, "as sent"),
  input: (value, _, { request }) =>
    canonicalJson(value) === canonicalJson(request["input"]) ? "as sent" : typeOf(value, ""),
  status: (value) => (isValue(value) ? value : typeOf(value, "")),
  error_code(value, { status }, { hasUnknownClip }) {
    // The service or its provider notices that a clip does not exist: the interface does not say which.
    const isEither = value === "invalid_task_input" || value === "upstream_provider_error";
    if (status === "failure" && hasUnknownClip && isEither) return NO_SUCH_CLIP;
    const isDocumented = value === null || TASK_ERROR_CODES.some((code) => code === value);
    return isDocumented && isValue(value) ? value : `${quoted(value)}, which is not documented`;
  },
  retryable(value, data) {
    const isOpen = data["status"] === "failure" && data["error_code"] === "upstream_provider_error";
    if (isOpen && typeof value === "boolean") return false;
    return isValue(value) ? value : typeOf(value, "");
  },
  retry_after_seconds(value, { status }) {
    const type = typeOf(value, "");
    const isEither = type === "null" || type === "whole number";
    return isEither && hasFailed(status) ? "whole number or null" : type;
  },
  credits_charged: () => "",
  credits_cost: () => "",
  created_at: createdAtField,
  completed_at: completedAtField,
};

const NO_SUCH_CLIP = "invalid_task_input or upstream_provider_error";

function createdAtField(value: unknown, _: Data, { task }: Sent, date: Instant): string {
  const type = typeOf(value, "created_at");
  if (task !== null && value === null) return "the submission's or null";
  if (type !== "date-time") return type;
  const ms = Date.parse(String(value));
  if (task === null) {
    if (ms > date.ms + date.toleranceMs) return "date-time in the future";
    return ms < date.ms - date.toleranceMs - LONGEST_SUBMISSION_MS ? "date-time before the request" : type;
  }
  const submitted = Date.parse(String(task.createdAt));
  const isSame = Math.abs(ms - submitted) <= ROUNDING_MS;
  return isSame || Number.isNaN(submitted) ? "the submission's or null" : "another time";
}

/** A request that has not been sent within this time has timed out. */
const LONGEST_SUBMISSION_MS = 60_000;
/** Times may be rounded to whole seconds. */
const ROUNDING_MS = 1000;

function completedAtField(
  value: unknown,
  { status, created_at }: Data,
  { task }: Sent,
  date: Instant,
): string {
  const type = typeOf(value, "completed_at");
  if (type !== "date-time") return type;
  const ms = Date.parse(String(value));
  const createdAt = Date.parse(String(created_at ?? task?.createdAt));
  if (ms < createdAt - ROUNDING_MS) return "date-time before created_at";
  if (ms > date.ms + date.toleranceMs) return "date-time in the future";
  const unfinished = task?.unfinishedAt ?? null;
  if (unfinished !== null && ms < unfinished.ms - unfinished.toleranceMs)
    return "date-time before a read without an end";
  const isEarly = status === "timeout" && ms < createdAt + LIMITS.taskTimeoutMs - ROUNDING_MS;
  return isEarly ? "date-time before the task timeout" : type;
}

/** The documented fields of clips. Others differ by provider, and may disappear without notice. */
const CLIP_FIELDS = ["id", "audio_url"];
const SONG_FIELDS = [...CLIP_FIELDS, "image_url", "title", "metadata"];
const METADATA_FIELDS = ["duration", "tags", "prompt"];

/**
 * The output of a task. Without a success, it may be `null`, absent, or an object without a result: these three have
 * the same fields.
 */
function addOutputFields(fields: Fields, output: unknown, { type, status }: Data, request: Data): void {
  const isSuccess = status === "success";
  const internal = isSuccess ? ["completed"] : INTERNAL[String(status)];
  const open: Fields = {
    "data.output": "null or an object without a result",
    "data.output.task_type": "as sent",
    "data.output.status": (internal ?? []).join(" or "),
    "data.output.progress": "string or null",
    "data.output.fail_reason": "string or null",
    "data.output.result": "null",
  };
  if (!isSuccess && (output === null || output === undefined)) {
    Object.assign(fields, open);
    return;
  }
  fields["data.output"] = isSuccess || !isRecord(output) ? typeOf(output, "") : (open["data.output"] ?? "");
  if (!isRecord(output)) return;
  const { result, ...wrapper } = output;
  for (const [name, value] of Object.entries(wrapper)) {
    const path = `data.output.${name}`;
    const isText = typeof value === "string" || value === null;
    if (name === "task_type") fields[path] = expected(value, request["task_type"], "as sent");
    else if (name === "status")
      fields[path] = internal?.some((each) => each === value) ? internal.join(" or ") : quoted(value);
    else if ((name === "progress" || name === "fail_reason") && isText) fields[path] = "string or null";
    else addFields(fields, { [name]: value }, "data.output.");
  }
  if (Array.isArray(result) && isSuccess) addClipFields(fields, result, type);
  else if (result !== undefined) addFields(fields, { result }, "data.output.");
}

/** The internal statuses that fit a status. */
const INTERNAL: Readonly<Record<string, readonly string[]>> = {
  pending: ["queued", "processing"],
  running: ["queued", "processing"],
  failure: ["failed"],
  timeout: ["queued", "processing", "completed", "failed"],
};

/** The clips of a task share their fields: where the clips differ, all values are listed. */
function addClipFields(fields: Fields, clips: readonly unknown[], type: unknown): void {
  fields["data.output.result"] = clips.length === 0 ? "empty array" : "array";
  const all = clips.map((clip) => clipFields(clip, type));
  const names = new Set(all.flatMap((own) => Object.keys(own)));
  for (const own of all)
    mergeFields(fields, Object.fromEntries([...names].map((name) => [name, own[name] ?? "missing"])));
  const ids = clips.map((clip) => Object(clip).id);
  if (new Set(ids).size < ids.length) fields["data.output.result[].id"] = "repeated";
}

function clipFields(clip: unknown, type: unknown): Fields {
  const path = "data.output.result[]";
  const fields: Fields = { [path]: typeOf(clip, "") };
  if (!isRecord(clip)) return fields;
  const { metadata, ...rest } = documented(clip, type);
  addFields(fields, rest, `${path}.`);
  if (!isRecord(metadata))
    return metadata === undefined ? fields : { ...fields, [`${path}.metadata`]: typeOf(metadata, "") };
  // The interface shows no type of these.
  const { tags, prompt, ...typed } = metadata;
  addFields(fields, { metadata: typed }, `${path}.`);
  if (tags !== undefined) fields[`${path}.metadata.tags`] = "any value";
  if (prompt !== undefined) fields[`${path}.metadata.prompt`] = "any value";
  return fields;
}

/** A clip without its undocumented fields. */
export function documented(clip: Data, type: unknown): Data {
  const kept = only(clip, type === "music" ? SONG_FIELDS : CLIP_FIELDS);
  const { metadata } = kept;
  return isRecord(metadata) ? { ...kept, metadata: only(metadata, METADATA_FIELDS) } : kept;
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
  return value === wanted ? label : `${quoted(value)} instead of ${quoted(wanted)}`;
}

/** A value as JSON, and objects as their type: they may be long. */
function quoted(value: unknown): string {
  return isValue(value) ? JSON.stringify(value) : typeOf(value, "");
}
