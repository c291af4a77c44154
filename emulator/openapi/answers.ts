import { MODELS, TASK_TYPES } from "../../src/contract/models.js";
import {
  balanceSchema,
  resultSchemas,
  taskSchema,
  taskSubmissionSchema,
  usageSchema,
} from "../../src/contract/responses.js";
import { FINAL_STATUSES, TASK_STATUSES } from "../../src/contract/task.js";
import { TASK_ERROR_CODES } from "../../src/contract/wire.js";
import { fromContract, reference, type Schema } from "./schema.js";

const moment = { type: "string", format: "date-time" } as const;
const credits = { type: "integer", minimum: 0 } as const;
const maybeText = { type: ["string", "null"] } as const;
const ECHOED_FORMAT = {
  type: ["string", "null"],
  description: "The format that was asked for, and no word about the real one; null where none was.",
} as const;

/** The schemas of everything that comes back in `data`. Readers may be more lenient; the service is not. */
export function answerSchemas(): Record<string, Schema> {
  return {
    TaskSubmission: {
      ...fromContract(taskSubmissionSchema, {
        task_id: { format: "uuid" },
        type: { enum: TASK_TYPES },
        status: { const: "pending" },
        credits_charged: { ...credits, description: "What is frozen for the task." },
        created_at: moment,
        audio_format: ECHOED_FORMAT,
      }),
      required: ["task_id", "type", "status", "credits_charged", "created_at", "audio_format"],
    },
    Task: { ...taskFields(), ...ENDINGS },
    TaskOutput: taskOutput(),
    Clip: clip(),
    Lyrics: fromContract(resultSchemas.lyrics, {
      text: { description: "The words, with tags such as [Verse] for the parts." },
    }),
    Balance: fromContract(balanceSchema, {
      available: { ...credits, description: "Free for new tasks." },
      frozen: { ...credits, description: "Held for tasks that are not over." },
      total: { ...credits, description: "Both together." },
    }),
    Usage: fromContract(usageSchema, {
      tasks_created: { type: "integer", minimum: 0, description: "All tasks ever, however they ended." },
      credits_used: { ...credits, description: "What all of them cost, refunded ones too." },
      credits_topped_up: { ...credits, description: "What all top-ups brought." },
    }),
  };
}

function taskFields() {
  const task = fromContract(taskSchema, {
    task_id: { format: "uuid" },
    model: { enum: MODELS },
    type: { enum: TASK_TYPES },
    status: { enum: TASK_STATUSES, description: `Final: ${FINAL_STATUSES.join(", ")}.` },
    credits_cost: { ...credits, description: "What the task cost, or holds; the same after a refund." },
    input: { type: "object", additionalProperties: {}, description: "What was asked for, as it came." },
    audio_format: ECHOED_FORMAT,
    output: { anyOf: [reference("schemas", "TaskOutput"), { type: "null" }] },
    error: { ...maybeText, description: "Why it went wrong, for people; the wording may change." },
    error_code: {
      ...maybeText,
      enum: [...TASK_ERROR_CODES, null],
      description: "Why it went wrong, for programs.",
    },
    retryable: { description: "False: the same request will never do. Null unless the task went wrong." },
    retry_after_seconds: {
      type: ["integer", "null"],
      minimum: 0,
      description: "A wait that the provider asks for.",
    },
    created_at: { type: ["string", "null"], format: "date-time" },
    completed_at: {
      type: ["string", "null"],
      format: "date-time",
      description: "Null until the task is over.",
    },
  });
  return { ...task, required: ["task_id", "model", "type", "status", "credits_cost"] };
}

/** Which fields are set at the end, and only then. (Each part takes the other fields expressly: some tools ask for it.) */
const ENDINGS = {
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

function taskOutput(): Schema {
  return {
    type: "object",
    description: "What the provider reported.",
    properties: {
      task_type: { type: "string", enum: TASK_TYPES },
      status: { type: "string", enum: ["queued", "processing", "completed", "failed"] },
      progress: { ...maybeText, description: "For people, a percentage for example." },
      fail_reason: maybeText,
      result: {
        description: "Clips, or lyrics for a lyrics task; null before the end and after a failure.",
        anyOf: [
          { type: "array", items: reference("schemas", "Clip") },
          reference("schemas", "Lyrics"),
          { type: "null" },
        ],
      },
    },
    additionalProperties: {},
  };
}

function clip(): Schema {
  return {
    type: "object",
    description: "A piece of audio. Music clips have all fields; others have the required ones alone.",
    required: ["id", "audio_url"],
    properties: {
      id: { type: "string", description: "Names the clip where it is to be continued or joined." },
      audio_url: {
        type: "string",
        format: "uri",
        description:
          "Answers for seven days after the task's end, then with 404. Its Content-Type tells the format.",
      },
      image_url: { type: "string", format: "uri", description: "Cover art, at the provider's." },
      image_large_url: {
        type: "string",
        format: "uri",
        description: "The same, larger, where there is one.",
      },
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
    },
    additionalProperties: {},
  };
}
