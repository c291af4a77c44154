import * as z from "zod/mini";
import { TASK_ERROR_CODES } from "../../../src/contract/error-code.js";
import { MODELS, TASK_TYPES } from "../../../src/contract/model.js";
import { AUDIO_FORMATS, type AudioFormat } from "../../audio/formats/formats.js";
import { numberBetween } from "../../options/numbers.js";
import { oneOf } from "../../options/one-of.js";
import type { ProviderTask } from "../../providers/brief.js";
import { count, flag, list, number, object, text, time } from "./parts.js";

const audioFormat = z.custom<AudioFormat>(
  (value) => typeof value === "string" && Object.hasOwn(AUDIO_FORMATS, value),
  "be an audio format",
);

const input = z.custom<ProviderTask["input"]>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "be an object",
);

const failure = {
  error: text,
  errorCode: oneOf(...TASK_ERROR_CODES),
  retryable: flag,
  retryAfterSeconds: z.nullable(count),
};

const plan = object({
  queueMs: count,
  workMs: count,
  polls: z.nullable(count),
  end: z.discriminatedUnion(
    "outcome",
    [
      object({
        outcome: z.literal("success"),
        clips: count,
        format: audioFormat,
        storable: flag,
        alternateUrls: z.nullable(list(text)),
      }),
      object({ outcome: z.literal("failure"), ...failure }),
      object({ outcome: z.literal("hang") }),
    ],
    "have an outcome",
  ),
});

const core = {
  id: text,
  ordinal: count,
  accountId: text,
  model: oneOf(...MODELS),
  type: oneOf(...TASK_TYPES),
  credits: count,
  input,
  audioFormat: z.nullable(z.literal("mp3", "be mp3 or null")),
  createdAt: time,
  fingerprint: text,
  plan,
  reads: count,
};

const result = z.union(
  [
    list(object({ id: text, seed: number, title: text, durationSeconds: numberBetween(0.1, 3600) })),
    object({ title: text, text }),
  ],
  "be clips or lyrics",
);

/** A stored task: each status has the fields that go with it, and no others. */
export const taskSchema = z.discriminatedUnion(
  "status",
  [
    object({ ...core, status: oneOf("pending", "running") }),
    object({ ...core, status: z.literal("success"), completedAt: time, format: audioFormat, result }),
    object({ ...core, status: oneOf("failure", "timeout"), completedAt: time, ...failure }),
  ],
  "have a status",
);
