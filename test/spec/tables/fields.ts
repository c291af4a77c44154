import { TASK_ERROR_CODES } from "./errors.js";
import { MODELS, OUTPUT_STATUSES, STATUSES, TASK_TYPES } from "./service.js";

export interface Field {
  name: string;
  type:
    | "string"
    | "uuid"
    | "date-time"
    | "uri"
    | "integer"
    | "number"
    | "boolean"
    | "object"
    | "array or object";
  values?: readonly string[];
  nullable?: true;
  /** Required: marked so in the interface, or the response has no meaning without it. */
  required?: true;
  optional?: true;
}

/** Resources: Task submission data. */
export const SUBMISSION: readonly Field[] = [
  { name: "task_id", type: "uuid", required: true },
  { name: "type", type: "string", values: TASK_TYPES },
  { name: "status", type: "string", values: ["pending"] },
  { name: "credits_charged", type: "integer" },
  { name: "created_at", type: "date-time" },
  { name: "audio_format", type: "string", values: ["mp3"], nullable: true },
];

/** Resources: Task. */
export const TASK: readonly Field[] = [
  { name: "task_id", type: "uuid", required: true },
  { name: "model", type: "string", values: MODELS, required: true },
  { name: "type", type: "string", values: TASK_TYPES, required: true },
  { name: "status", type: "string", values: STATUSES, required: true },
  { name: "credits_cost", type: "integer", required: true },
  { name: "input", type: "object" },
  { name: "audio_format", type: "string", values: ["mp3"], nullable: true },
  { name: "output", type: "object", nullable: true },
  { name: "error", type: "string", nullable: true },
  { name: "error_code", type: "string", values: TASK_ERROR_CODES, nullable: true },
  { name: "retryable", type: "boolean", nullable: true },
  { name: "retry_after_seconds", type: "integer", nullable: true },
  { name: "created_at", type: "date-time", nullable: true },
  { name: "completed_at", type: "date-time", nullable: true },
];

/** Resources: Output wrapper. */
export const OUTPUT: readonly Field[] = [
  { name: "task_type", type: "string", values: TASK_TYPES },
  { name: "status", type: "string", values: OUTPUT_STATUSES },
  { name: "progress", type: "string", nullable: true },
  { name: "fail_reason", type: "string", nullable: true },
  { name: "result", type: "array or object", nullable: true },
];

/** Resources: Clip, of a music task. Other fields pass through. */
export const MUSIC_CLIP: readonly Field[] = [
  { name: "id", type: "string", required: true },
  { name: "audio_url", type: "uri", required: true },
  { name: "image_url", type: "uri" },
  { name: "image_large_url", type: "uri", optional: true },
  { name: "title", type: "string" },
  { name: "metadata", type: "object" },
];

export const CLIP_METADATA: readonly Field[] = [
  { name: "duration", type: "number" },
  { name: "tags", type: "string" },
  { name: "prompt", type: "string" },
];

/** Resources: Clip, of upload and concat tasks. */
export const PLAIN_CLIP: readonly Field[] = [
  { name: "id", type: "string", required: true },
  { name: "audio_url", type: "uri", required: true },
];

/** Resources: Lyrics result. */
export const LYRICS: readonly Field[] = [
  { name: "title", type: "string", required: true },
  { name: "text", type: "string", required: true },
];

/** Resources: Balance. */
export const BALANCE: readonly Field[] = [
  { name: "available", type: "integer", required: true },
  { name: "frozen", type: "integer", required: true },
  { name: "total", type: "integer", required: true },
];

/** Resources: Usage. */
export const USAGE: readonly Field[] = [
  { name: "tasks_created", type: "integer", required: true },
  { name: "credits_used", type: "integer", required: true },
  { name: "credits_topped_up", type: "integer", required: true },
];

/** Errors: Error body. */
export const ERROR_BODY: readonly Field[] = [
  { name: "code", type: "integer" },
  { name: "error_code", type: "string" },
  { name: "message", type: "string" },
];

/** Errors: Error body of a 429. */
export const RATE_LIMITED_BODY: readonly Field[] = [
  ...ERROR_BODY,
  { name: "retry_after_seconds", type: "integer" },
];
