import * as z from "zod/mini";
import type { TaskType } from "./service.js";

/**
 * What an answer must have to be usable. Readers are lenient: fields beyond these are kept, enum values are any
 * string, and an absent nullable field is `null`.
 */

const text = z.string("is not a string");
const count = z.number("is not a number");
const nullableText = z._default(z.nullable(z.string("is neither a string nor null")), null);

/** What was sent with a task is shown, and nothing relies on it. */
const objectOrEmpty = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

export const taskSubmissionSchema = z.looseObject({
  task_id: text,
  type: text,
  status: text,
  credits_charged: count,
  created_at: text,
  audio_format: nullableText,
});

const taskOutputSchema = z.looseObject({ result: z._default(z.unknown(), null) }, "is not an object");

export const taskSchema = z.looseObject({
  task_id: text,
  model: text,
  type: text,
  status: text,
  credits_cost: count,
  input: z._default(z.unknown().check(z.overwrite(objectOrEmpty)), {}),
  audio_format: nullableText,
  output: z._default(z.nullable(taskOutputSchema), null),
  error: nullableText,
  error_code: nullableText,
  retryable: z._default(z.nullable(z.boolean("is neither a boolean nor null")), null),
  retry_after_seconds: z._default(z.nullable(z.number("is neither a number nor null")), null),
  created_at: nullableText,
  completed_at: nullableText,
});

const clipsSchema = z.array(
  z.looseObject({ id: text, audio_url: text }, "is not a clip"),
  "is not a list of clips",
);
const lyricsSchema = z.looseObject({ title: text, text }, "is not lyrics");

/** What the `result` of a succeeded task must be, by the task's type. */
export const resultSchemas: Readonly<Record<TaskType, typeof clipsSchema | typeof lyricsSchema>> = {
  music: clipsSchema,
  lyrics: lyricsSchema,
  upload: clipsSchema,
  concat: clipsSchema,
};

export const balanceSchema = z.looseObject({ available: count, frozen: count, total: count });

export const usageSchema = z.looseObject({
  tasks_created: count,
  credits_used: count,
  credits_topped_up: count,
});
