import type { Model, TaskType } from "../../src/contract/models.js";
import { inputVariant } from "../../src/contract/request-rules.js";
import type { JsonValue, TaskErrorCode } from "../../src/contract/wire.js";
import type { AudioFormat } from "../audio/formats/formats.js";

/** What a provider is asked to make. */
export interface ProviderTask {
  model: Model;
  type: TaskType;
  /** As it was submitted. */
  input: Readonly<Record<string, JsonValue>>;
}

/** A task as the service stores it: each status has its own fields. */
export type StoredTask = OpenTask | SucceededTask | FailedTask;

interface TaskCore extends ProviderTask {
  id: string;
  /** The task's index in the state's list. */
  ordinal: number;
  accountId: string;
  credits: number;
  audioFormat: "mp3" | null;
  createdAt: number;
  plan: Plan;
  /** How often it was read while it was open. */
  reads: number;
}

export interface OpenTask extends TaskCore {
  status: "pending" | "running";
}

export interface SucceededTask extends TaskCore {
  status: "success";
  completedAt: number;
  plan: Plan<PlannedSuccess>;
  /** The format of the service's copies: the provider's own, or the one converted to. */
  format: AudioFormat;
  result: MadeClip[] | MadeLyrics;
}

export interface FailedTask extends TaskCore, TaskFailure {
  status: "failure" | "timeout";
  completedAt: number;
}

export interface TaskFailure {
  error: string;
  errorCode: TaskErrorCode;
  retryable: boolean;
  retryAfterSeconds: number | null;
}

export function isOpen(task: StoredTask): task is OpenTask {
  return task.status === "pending" || task.status === "running";
}

/** What the provider will do with a task. Fixed when the task is created. */
export interface Plan<End = PlannedSuccess | PlannedFailure | { outcome: "hang" }> {
  queueMs: number;
  workMs: number;
  /** The read, counted from 1, at which the task ends; `null` if it ends by time. */
  polls: number | null;
  end: End;
}

export interface PlannedSuccess {
  readonly outcome: "success";
  readonly clips: number;
  readonly format: AudioFormat;
  readonly storable: boolean;
  readonly alternateUrls: readonly string[] | null;
}

export interface PlannedFailure extends TaskFailure {
  outcome: "failure";
}

/** A clip as the provider made it. Its other fields and its sound follow from its task. */
export interface MadeClip {
  id: string;
  /** The sound's seed, besides the task's input. */
  seed: number;
  title: string;
  durationSeconds: number;
}

export interface MadeLyrics {
  title: string;
  text: string;
}

export interface StoredClip {
  task: SucceededTask;
  clip: MadeClip;
}

/** The input as its provider understands it. What the mode ignores is left out (Input for `provider_a`). */
export interface Brief {
  /** What describes the song. */
  text: string;
  /** What is sung. */
  lyrics: string;
  instrumental: boolean;
  continues: ClipPosition | null;
  /** The clip whose whole song is wanted. */
  joins: string | null;
  /** The requested title, as a string. */
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
  const variant = inputVariant(model, type, input);
  switch (variant) {
    case "inspiration":
      return {
        ...EMPTY_BRIEF,
        text: text("gpt_description_prompt"),
        instrumental: input["make_instrumental"] === true,
        extras: PROVIDER_A_EXTRAS,
      };
    case "custom":
      return {
        ...EMPTY_BRIEF,
        text: text("tags"),
        lyrics: text("prompt"),
        instrumental: input["make_instrumental"] === true,
        title: titleOf(input["title"]),
        tags: text("tags"),
        extras: PROVIDER_A_EXTRAS,
      };
    case "continuation": {
      const { continue_at: at } = input;
      return {
        ...EMPTY_BRIEF,
        lyrics: text("prompt"),
        continues: { clipId: text("continue_clip_id"), atSeconds: typeof at === "number" ? at : null },
        title: titleOf(input["title"]),
        extras: PROVIDER_A_EXTRAS,
      };
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
