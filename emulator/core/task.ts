import * as z from "zod/mini";
import { inputKind } from "../../src/contract/inputs.js";
import {
  isRecord,
  type JsonValue,
  MODELS,
  type Model,
  TASK_TYPES,
  type TaskType,
} from "../../src/contract/service.js";
import { LONGEST_SECONDS, songDurationSeconds } from "../audio/formats.js";
import { songTitles, writeLyrics } from "../audio/words.js";
import { freeUuid, randomStream } from "../time/random.js";
import { count, list, numberBetween, objectOf, oneOf, text, time, unionBy } from "./checks.js";
import { audioFormatSchema, failureSchema, plannedSuccessSchema, taskPlanSchema } from "./providers.js";

export interface ProviderTask {
  model: Model;
  type: TaskType;
  input: Readonly<Record<string, JsonValue>>;
}

export type MadeClip = z.output<typeof madeClipSchema>;
const madeClipSchema = objectOf({
  id: text,
  /** The seed of the audio, which also depends on the task's input. */
  seed: z.number("be a number"),
  title: text,
  durationSeconds: numberBetween(0.1, LONGEST_SECONDS),
});

export type MadeLyrics = z.output<typeof madeLyricsSchema>;
const madeLyricsSchema = objectOf({ title: text, text });

const taskFields = {
  id: text,
  ordinal: count,
  accountId: text,
  /** Numbered for its account; selects its random streams. Absent in earlier snapshots, whose tasks used `ordinal`. */
  accountOrdinal: z.optional(count),
  model: oneOf(...MODELS),
  type: oneOf(...TASK_TYPES),
  credits: count,
  input: z.custom<ProviderTask["input"]>(isRecord, "be an object"),
  audioFormat: z.nullable(z.literal("mp3", "be mp3 or null")),
  createdAt: time,
  plan: taskPlanSchema,
  /** How often it was read while it was open. */
  reads: count,
};

export type OpenTask = z.output<typeof openTaskSchema>;
const openTaskSchema = objectOf({ ...taskFields, status: oneOf("pending", "running") });

const endedFields = {
  ...taskFields,
  completedAt: time,
  /** When the read that ended it arrived; for a timeout, the same as `completedAt`. */
  discoveredAt: time,
};

export type StoredSuccess = z.output<typeof succeededTaskSchema>;
const succeededTaskSchema = objectOf({
  ...endedFields,
  status: z.literal("success"),
  plan: z.extend(taskPlanSchema, { end: plannedSuccessSchema }),
  /** The format of the service's copies: the provider's own, or the one converted to. */
  format: audioFormatSchema,
  result: z.union([list(madeClipSchema), madeLyricsSchema], "be a list of clips, or lyrics"),
});

const failedTaskSchema = objectOf({
  ...endedFields,
  ...failureSchema.shape,
  status: oneOf("failure", "timeout"),
});

/** A task as the service stores it: each status has its own fields. */
export type StoredTask = z.output<typeof storedTaskSchema>;
export const storedTaskSchema = unionBy("status", [openTaskSchema, succeededTaskSchema, failedTaskSchema]);

export interface StoredClip {
  task: StoredSuccess;
  clip: MadeClip;
}

/** The fields of an input by meaning. Those that the input's kind ignores are left out (Input for `provider_a`). */
export interface ParsedInput {
  text: string;
  lyrics: string;
  instrumental: boolean;
  continues: ClipPosition | null;
  /** The clip whose chain of continuations is joined to one song. */
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

const EMPTY_INPUT: ParsedInput = {
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

export function parseInput({ model, type, input }: ProviderTask): ParsedInput {
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : "");
  const instrumental = input["make_instrumental"] === true;
  const extras = PROVIDER_A_EXTRAS;
  const kind = inputKind(model, type, input);
  switch (kind) {
    case "inspiration":
      return { ...EMPTY_INPUT, text: text("gpt_description_prompt"), instrumental, extras };
    case "custom": {
      const tags = text("tags");
      const title = titleOf(input["title"]);
      return { ...EMPTY_INPUT, text: tags, lyrics: text("prompt"), instrumental, title, tags, extras };
    }
    case "continuation": {
      const { continue_at: at, title } = input;
      const continues = { clipId: text("continue_clip_id"), atSeconds: typeof at === "number" ? at : null };
      return { ...EMPTY_INPUT, lyrics: text("prompt"), continues, title: titleOf(title), extras };
    }
    case "provider_b":
      return {
        ...EMPTY_INPUT,
        text: `${text("prompt")} ${text("tags")}`.trim(),
        lyrics: text("lyrics"),
        instrumental: input["lyrics_type"] === "instrumental",
        tags: text("tags"),
      };
    case "upload":
      return { ...EMPTY_INPUT, text: text("url") };
    case "concat":
      return { ...EMPTY_INPUT, joins: text("clip_id") };
    case "lyrics":
      return { ...EMPTY_INPUT, text: text("prompt") };
    default:
      return kind satisfies never;
  }
}

function titleOf(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The result of a task. It depends on nothing but the task, the seed, and which IDs other clips have. */
export function makeResult(
  seed: number,
  task: OpenTask,
  clips: number,
  taken: { has(clipId: string): boolean },
): MadeClip[] | MadeLyrics {
  const { text, lyrics, title } = parseInput(task);
  if (task.type === "lyrics") return writeLyrics(text, seedOfClip(seed, task, 0));
  const titleFor = title === null ? songTitles(text || lyrics) : () => title;
  return Array.from({ length: clips }, (_, index) => {
    const clipSeed = seedOfClip(seed, task, index);
    return {
      id: freeUuid(taken, seed, "clip", task.ordinal, index),
      seed: clipSeed,
      title: titleFor(clipSeed),
      durationSeconds: songDurationSeconds(clipSeed),
    };
  });
}

/** A seed in the input of `provider_b` replaces the emulator's, so that equal requests have equal results. */
function seedOfClip(seed: number, task: OpenTask, index: number): number {
  const { model, input, ordinal, accountOrdinal = ordinal } = task;
  const requested = model === "provider_b" ? input["seed"] : undefined;
  const random =
    typeof requested === "number"
      ? randomStream(requested, "asked song", index)
      : randomStream(seed, "song", accountOrdinal, index);
  return Math.floor(random() * 2 ** 32);
}
