import * as contract from "../../src/contract/responses.js";
import {
  ERROR_STATUSES,
  FINAL_STATUSES,
  MODELS,
  TASK_ERROR_CODES,
  TASK_STATUSES,
  TASK_TYPES,
} from "../../src/contract/service.js";
import { fromContract, type JsonSchema, reference } from "./schema.js";

const time = { type: "string", format: "date-time" } as const;
const maybeTime = { type: ["string", "null"], format: "date-time" } as const;
const credits = { type: "integer", minimum: 0 } as const;
const maybeText = { type: ["string", "null"] } as const;
const REQUESTED_FORMAT = {
  type: ["string", "null"],
  description: "The requested format; `null` if none was requested. The audio may have another format.",
} as const;

/** The schemas of `data` in every response. Clients may accept more than the service sends. */
export function dataSchemas(): Record<string, JsonSchema> {
  return {
    TaskSubmission: {
      ...fromContract(contract.taskSubmissionSchema, {
        task_id: { format: "uuid" },
        type: { enum: TASK_TYPES },
        status: { const: "pending" },
        credits_charged: { ...credits, description: "The credits frozen for the task." },
        created_at: time,
        audio_format: REQUESTED_FORMAT,
      }),
      required: ["task_id", "type", "status", "credits_charged", "created_at", "audio_format"],
    },
    Task: { ...taskFields(), ...FIELDS_BY_STATUS },
    TaskOutput: outputSchema(),
    Clip: { ...fromContract(contract.clipSchema, CLIP_FIELDS), description: CLIP },
    Lyrics: fromContract(contract.resultSchemas.lyrics, {
      text: { description: "The lyrics, with tags such as [Verse] for the parts." },
    }),
    Balance: fromContract(contract.balanceSchema, {
      available: { ...credits, description: "Available for new tasks." },
      frozen: { ...credits, description: "Held for unfinished tasks." },
      total: { ...credits, description: "The sum of both." },
    }),
    Usage: fromContract(contract.usageSchema, {
      tasks_created: { type: "integer", minimum: 0, description: "Tasks of every status." },
      credits_used: { ...credits, description: "The credits of all tasks, refunded ones included." },
      credits_topped_up: { ...credits, description: "The credits of all top-ups." },
    }),
  };
}

function taskFields() {
  const task = fromContract(contract.taskSchema, {
    task_id: { format: "uuid" },
    model: { enum: MODELS },
    type: { enum: TASK_TYPES },
    status: { enum: TASK_STATUSES, description: `Final: ${FINAL_STATUSES.join(", ")}.` },
    credits_cost: { ...credits, description: "The price of the task. A refund does not change it." },
    input: { type: "object", additionalProperties: {}, description: "The input of the request, unchanged." },
    audio_format: REQUESTED_FORMAT,
    output: { anyOf: [reference("schemas", "TaskOutput"), { type: "null" }] },
    error: { ...maybeText, description: "Why the task failed, for people. The wording may change." },
    error_code: {
      ...maybeText,
      enum: [...TASK_ERROR_CODES, null],
      description: "Why the task failed, for programs.",
    },
    retryable: {
      description:
        "`false` if resending the same request can never succeed. `null` unless the task failed or timed out.",
    },
    retry_after_seconds: {
      type: ["integer", "null"],
      minimum: 0,
      description: "The wait that the provider states, in seconds.",
    },
    created_at: maybeTime,
    completed_at: { ...maybeTime, description: "`null` until the status is final." },
  });
  return { ...task, required: ["task_id", "model", "type", "status", "credits_cost"] };
}

/** The fields that are set only in some statuses. `additionalProperties` is repeated, since some tools require it. */
const FIELDS_BY_STATUS = {
  if: { properties: { status: { enum: ["failure", "timeout"] } }, additionalProperties: {} },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    required: ["error_code", "retryable"],
    properties: {
      error: { type: "string" },
      error_code: { type: "string" },
      retryable: { type: "boolean" },
      output: { properties: { result: { type: "null" } }, additionalProperties: {} },
    },
    additionalProperties: {},
  },
  else: {
    properties: {
      error: { type: "null" },
      error_code: { type: "null" },
      retryable: { type: "null" },
      retry_after_seconds: { type: "null" },
    },
    additionalProperties: {},
  },
} as const;

function outputSchema() {
  const output = fromContract(contract.taskOutputSchema, {
    task_type: { type: "string", enum: TASK_TYPES },
    status: { type: "string", enum: ["queued", "processing", "completed", "failed"] },
    progress: { ...maybeText, description: "The progress for people, for example a percentage." },
    fail_reason: maybeText,
    result: {
      description: "The clips, or the lyrics of a lyrics task. `null` before the end and after a failure.",
      anyOf: [
        { type: "array", items: reference("schemas", "Clip") },
        reference("schemas", "Lyrics"),
        { type: "null" },
      ],
    },
  });
  return { ...output, description: "The provider's report." };
}

const CLIP =
  "A piece of audio. The service documents only the required fields for clips of uploads and concats; any clip may have more.";
const CLIP_FIELDS = {
  id: {
    description:
      "The ID for later requests. The description of each field for a clip ID names the types of clips that it accepts.",
  },
  audio_url: {
    format: "uri",
    description:
      "Valid for 7 days after the task completes, then 404. The Content-Type of its response states the format.",
  },
  image_url: { type: "string", format: "uri", description: "The cover art, served by the provider." },
  image_large_url: { type: "string", format: "uri", description: "A larger cover art, if available." },
  title: { type: "string" },
  metadata: {
    type: "object",
    properties: {
      duration: { type: "number", minimum: 0, description: "Seconds." },
      tags: { type: "string" },
      prompt: { type: "string" },
    },
    additionalProperties: {},
  },
} as const;

export const COMMON_HEADERS = {
  "X-Request-Id": reference("headers", "X-Request-Id"),
  "X-RateLimit-Remaining": reference("headers", "X-RateLimit-Remaining"),
};

type StatedStatus = Exclude<(typeof ERROR_STATUSES)[keyof typeof ERROR_STATUSES], null>;

/** The error responses, by status, and the names of their components. `default` stands for any status. */
const ERRORS = {
  400: { name: "BadRequest", description: "The request is invalid. Nothing was done." },
  401: { name: "Unauthorized", description: "The key is missing or invalid." },
  402: { name: "PaymentRequired", description: "Too few credits are available. Nothing was done." },
  403: { name: "Forbidden", description: "The account may not create tasks. Nothing was done." },
  404: { name: "NotFound", description: "The account has no such task." },
  429: { name: "TooManyRequests", description: "The key's rate limit is used up. Nothing was done." },
  500: { name: "InternalError", description: "An internal error. The outcome of a POST is unknown." },
  502: { name: "BadGateway", description: "The provider failed. The outcome of a POST is unknown." },
  default: {
    name: "AudioFormatRefused",
    description:
      "The requested audio format is unknown or unavailable. The interface leaves the status open. Nothing was done.",
  },
} as const satisfies Record<StatedStatus | "default", { name: string; description: string }>;

type ErrorStatus = keyof typeof ERRORS;

export function errorsOf(statuses: readonly ErrorStatus[]) {
  return Object.fromEntries(statuses.map((status) => [status, reference("responses", ERRORS[status].name)]));
}

export function errorResponses() {
  const responses = Object.entries(ERRORS).map(([key, { name, description }]) => {
    const status = key === "default" ? null : Number(key);
    const isLimit = status === 429;
    const codes = status === 400 ? [...codesOf(status), ...codesOf(null)] : codesOf(status);
    const error_code = { type: "string", enum: codes };
    const properties = status === null ? { error_code } : { code: { const: status }, error_code };
    const base = reference("schemas", isLimit ? "RateLimitError" : "Error");
    const wait = isLimit ? { "Retry-After": reference("headers", "Retry-After") } : {};
    const schema = { allOf: [base, { type: "object", properties }] };
    const content = { "application/json": { schema } };
    return [name, { description, headers: { ...COMMON_HEADERS, ...wait }, content }] as const;
  });
  return Object.fromEntries(responses);
}

/** The codes with this status; for null, those whose status the interface does not show. */
function codesOf(status: number | null): string[] {
  return Object.entries(ERROR_STATUSES).flatMap(([code, each]) => (each === status ? [code] : []));
}

export function errorSchemas(): Record<string, JsonSchema> {
  const code = { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status." };
  const errorCode = { type: "string", description: "The stable code of the error, for programs." };
  const message = { type: "string", description: "The error, for people. The wording may change." };
  const wait = { type: "integer", minimum: 0, description: "Seconds to wait before the next attempt." };
  const required = ["code", "error_code", "message"];
  return {
    Error: { type: "object", required, properties: { code, error_code: errorCode, message } },
    RateLimitError: {
      type: "object",
      required: [...required, "retry_after_seconds"],
      properties: { code, error_code: errorCode, message, retry_after_seconds: wait },
    },
  };
}
