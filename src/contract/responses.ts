import * as z from "zod/mini";
import type { TaskType } from "./service.js";

/**
 * What a response must have to be usable. Readers are lenient: other fields are kept, enum values are any string, and an
 * absent nullable field is `null`. `test/types/contract-schemas.test-d.ts` proves that the public types agree.
 */

const text = z.string("is not a string");
const count = z.number("is not a number");
const nullableText = z._default(z.nullable(z.string("is neither a string nor null")), null);

export const taskSubmissionSchema = z.looseObject({
  task_id: text,
  type: text,
  status: text,
  credits_charged: count,
  created_at: text,
  audio_format: nullableText,
});

export const taskOutputSchema = z.looseObject({ result: z._default(z.unknown(), null) }, "is not an object");

export const taskSchema = z.looseObject({
  task_id: text,
  model: text,
  type: text,
  status: text,
  credits_cost: count,
  input: z._default(z.unknown(), {}),
  audio_format: nullableText,
  output: z._default(z.nullable(taskOutputSchema), null),
  error: nullableText,
  error_code: nullableText,
  retryable: z._default(z.nullable(z.boolean("is neither a boolean nor null")), null),
  retry_after_seconds: z._default(z.nullable(z.number("is neither a number nor null")), null),
  created_at: nullableText,
  completed_at: nullableText,
});

export const clipSchema = z.looseObject({ id: text, audio_url: text }, "is not a clip");
const clipsSchema = z.array(clipSchema, "is not a list of clips");

/** What the `result` of a succeeded task must be, by the task's type. */
export const resultSchemas = {
  music: clipsSchema,
  lyrics: z.looseObject({ title: text, text }, "is not lyrics"),
  upload: clipsSchema,
  concat: clipsSchema,
} as const satisfies Record<TaskType, unknown>;

export const balanceSchema = z.looseObject({ available: count, frozen: count, total: count });

export const usageSchema = z.looseObject({
  tasks_created: count,
  credits_used: count,
  credits_topped_up: count,
});

/** The account's credits, as whole numbers: 1 credit is 0.01 USD. */
export interface Balance {
  /** Spendable on new tasks: one that costs more is refused with `InsufficientCreditsError`. */
  available: number;
  /** Held for tasks in flight, until each is charged or refunded. */
  frozen: number;
  /** `available` and `frozen` together. */
  total: number;
}

/** The account's totals since its creation. */
export interface Usage {
  /** Tasks of every status. */
  tasks_created: number;
  /** The credits of all tasks together, failed and refunded ones included. */
  credits_used: number;
  /** The credits of all top-ups together. */
  credits_topped_up: number;
}
