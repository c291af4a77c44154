import * as z from "zod/mini";
import { MODELS, TASK_TYPES } from "../../../../src/contract/models.js";
import { TASK_ERROR_CODES } from "../../../../src/contract/wire.js";
import { AUDIO_FORMATS, type AudioFormat } from "../../../audio/formats/formats.js";
import { LONGEST_SECONDS } from "../../../audio/song-duration.js";
import { numberBetween, objectOf, oneOf, wholeNumber } from "../../checks.js";
import { LONGEST_PLAN_MS, MOST_CLIPS, MOST_POLLS } from "../../providers.js";
import type { ProviderTask } from "../../task.js";
import { count, flag, list, number, text, time } from "./parts.js";

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

const plan = {
  queueMs: wholeNumber(0, LONGEST_PLAN_MS),
  workMs: wholeNumber(0, LONGEST_PLAN_MS),
  polls: z.nullable(wholeNumber(1, MOST_POLLS)),
};

const plannedSuccess = objectOf({
  outcome: z.literal("success"),
  clips: wholeNumber(0, MOST_CLIPS),
  format: audioFormat,
  storable: flag,
  alternateUrls: z.nullable(list(text)),
});

const plannedEnd = z.discriminatedUnion(
  "outcome",
  [
    plannedSuccess,
    objectOf({ outcome: z.literal("failure"), ...failure }),
    objectOf({ outcome: z.literal("hang") }),
  ],
  "have an outcome",
);

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
  plan: objectOf({ ...plan, end: plannedEnd }),
  reads: count,
};

const result = z.union(
  [
    list(
      objectOf({ id: text, seed: number, title: text, durationSeconds: numberBetween(0.1, LONGEST_SECONDS) }),
    ),
    objectOf({ title: text, text }),
  ],
  "be clips or lyrics",
);

/** A stored task: each status has the fields that go with it, and no others. */
export const taskSchema = z.discriminatedUnion(
  "status",
  [
    objectOf({ ...core, status: oneOf("pending", "running") }),
    objectOf({
      ...core,
      status: z.literal("success"),
      completedAt: time,
      plan: objectOf({ ...plan, end: plannedSuccess }),
      format: audioFormat,
      result,
    }),
    objectOf({ ...core, status: oneOf("failure", "timeout"), completedAt: time, ...failure }),
  ],
  "have a status",
);
