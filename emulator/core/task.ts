import * as z from "zod/mini";
import { inputVariant } from "../../src/contract/request-rules.js";
import {
  isRecord,
  type JsonValue,
  MODELS,
  type Model,
  TASK_ERROR_CODES,
  TASK_TYPES,
  type TaskType,
} from "../../src/contract/service.js";
import { AUDIO_FORMATS, type AudioFormat, LONGEST_SECONDS } from "../audio/formats.js";
import { count, flag, list, numberBetween, objectOf, oneOf, text, time, wholeNumber } from "./checks.js";

export interface ProviderTask {
  model: Model;
  type: TaskType;
  input: Readonly<Record<string, JsonValue>>;
}

export const LONGEST_PLAN_MS = 1e12;
export const MOST_POLLS = 1e9;
export const MOST_CLIPS = 20;

const formats = Object.keys(AUDIO_FORMATS).filter((name): name is AudioFormat => name in AUDIO_FORMATS);
export const audioFormatSchema = oneOf(...formats);

const failureSchema = objectOf({
  error: text,
  errorCode: oneOf(...TASK_ERROR_CODES),
  retryable: flag,
  retryAfterSeconds: z.nullable(count),
});

export type PlannedSuccess = z.output<typeof plannedSuccessSchema>;
const plannedSuccessSchema = objectOf({
  outcome: z.literal("success"),
  clips: wholeNumber(0, MOST_CLIPS),
  format: audioFormatSchema,
  storable: flag,
  alternateUrls: z.nullable(list(text)),
});

export type PlannedFailure = z.output<typeof plannedFailureSchema>;
const plannedFailureSchema = z.extend(failureSchema, { outcome: z.literal("failure") });

/** What the provider will do with a task. Fixed when the task is created. */
export type Plan = z.output<typeof planSchema>;
const planSchema = objectOf({
  queueMs: wholeNumber(0, LONGEST_PLAN_MS),
  workMs: wholeNumber(0, LONGEST_PLAN_MS),
  /** The read, counted from 1, at which the task ends; null if it ends by time. */
  polls: z.nullable(wholeNumber(1, MOST_POLLS)),
  end: z.discriminatedUnion(
    "outcome",
    [plannedSuccessSchema, plannedFailureSchema, objectOf({ outcome: z.literal("hang") })],
    "have an outcome",
  ),
});

/** A clip as the provider made it. Its other fields and its sound follow from its task. */
export type MadeClip = z.output<typeof madeClipSchema>;
const madeClipSchema = objectOf({
  id: text,
  /** The sound's seed, besides the task's input. */
  seed: z.number("be a number"),
  title: text,
  durationSeconds: numberBetween(0.1, LONGEST_SECONDS),
});

export type MadeLyrics = z.output<typeof madeLyricsSchema>;
const madeLyricsSchema = objectOf({ title: text, text });

const taskFields = {
  id: text,
  /** The task's index in the state's list. */
  ordinal: count,
  accountId: text,
  model: oneOf(...MODELS),
  type: oneOf(...TASK_TYPES),
  credits: count,
  input: z.custom<ProviderTask["input"]>(isRecord, "be an object"),
  audioFormat: z.nullable(z.literal("mp3", "be mp3 or null")),
  createdAt: time,
  plan: planSchema,
  /** How often it was read while it was open. */
  reads: count,
};

export type OpenTask = z.output<typeof openTaskSchema>;
const openTaskSchema = objectOf({ ...taskFields, status: oneOf("pending", "running") });

export type SucceededTask = z.output<typeof succeededTaskSchema>;
const succeededTaskSchema = objectOf({
  ...taskFields,
  status: z.literal("success"),
  completedAt: time,
  plan: z.extend(planSchema, { end: plannedSuccessSchema }),
  /** The format of the service's copies: the provider's own, or the one converted to. */
  format: audioFormatSchema,
  result: z.union([list(madeClipSchema), madeLyricsSchema], "be clips or lyrics"),
});

const failedTaskSchema = objectOf({
  ...taskFields,
  ...failureSchema.shape,
  status: oneOf("failure", "timeout"),
  completedAt: time,
});

/** A task as the service stores it: each status has its own fields. */
export type StoredTask = z.output<typeof taskSchema>;
export const taskSchema = z.discriminatedUnion(
  "status",
  [openTaskSchema, succeededTaskSchema, failedTaskSchema],
  "have a status",
);

export interface StoredClip {
  task: SucceededTask;
  clip: MadeClip;
}

/** The input as its provider understands it. What the mode ignores is left out (Input for `provider_a`). */
export interface Brief {
  text: string;
  lyrics: string;
  instrumental: boolean;
  continues: ClipPosition | null;
  /** The clip whose whole song is wanted. */
  joins: string | null;
  title: string | null;
  tags: string;
  extras: Readonly<Record<string, JsonValue>>;
}

export interface ClipPosition {
  clipId: string;
  /** `null` for the clip's end. */
  atSeconds: number | null;
}

const EMPTY_BRIEF: Brief = {
  text: "",
  lyrics: "",
  instrumental: false,
  continues: null,
  joins: null,
  title: null,
  tags: "",
  extras: {},
};

/** `v5.5` and `v5` are retired upstream: they generate with this version (Versioning). */
const PROVIDER_A_EXTRAS = { model_version: "v6" };

export function readBrief({ model, type, input }: ProviderTask): Brief {
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : "");
  const instrumental = input["make_instrumental"] === true;
  const extras = PROVIDER_A_EXTRAS;
  const variant = inputVariant(model, type, input);
  switch (variant) {
    case "inspiration":
      return { ...EMPTY_BRIEF, text: text("gpt_description_prompt"), instrumental, extras };
    case "custom": {
      const tags = text("tags");
      const title = titleOf(input["title"]);
      return { ...EMPTY_BRIEF, text: tags, lyrics: text("prompt"), instrumental, title, tags, extras };
    }
    case "continuation": {
      const { continue_at: at, title } = input;
      const continues = { clipId: text("continue_clip_id"), atSeconds: typeof at === "number" ? at : null };
      return { ...EMPTY_BRIEF, lyrics: text("prompt"), continues, title: titleOf(title), extras };
    }
    case "provider_b":
      return {
        ...EMPTY_BRIEF,
        text: `${text("prompt")} ${text("tags")}`.trim(),
        lyrics: text("lyrics"),
        instrumental: input["lyrics_type"] === "instrumental",
        tags: text("tags"),
      };
    case "upload":
      return { ...EMPTY_BRIEF, text: text("url") };
    case "concat":
      return { ...EMPTY_BRIEF, joins: text("clip_id") };
    case "lyrics":
      return EMPTY_BRIEF;
    default:
      return variant satisfies never;
  }
}

/** A title may be any JSON value; all but a string are serialized. */
function titleOf(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
