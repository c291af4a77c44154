import * as z from "zod/mini";
import {
  type Model,
  TASK_ERROR_CODES,
  TASK_TYPES,
  type TaskErrorCode,
  type TaskType,
  USUAL_CLIPS,
} from "../../src/contract/service.js";
import { AUDIO_FORMATS, type EncodedFormat } from "../audio/formats.js";
import { between } from "../audio/numbers.js";
import { type Random, randomNormal } from "../time/random.js";
import {
  count,
  flag,
  list,
  NAMED,
  numberBetween,
  objectOf,
  oneOf,
  text,
  unionBy,
  webUrl,
  wholeNumber,
} from "./checks.js";

/** What a provider does with a task. Omitted fields have their defaults; omitted durations are drawn from the seed. */
export interface Outcome {
  /**
   * How the task ends. `"hang"`: never; `"reject"`: the provider refuses it at submission, so that the POST returns 502
   * and leaves neither task nor frozen credits. @defaultValue "success"
   */
  outcome?: "success" | "failure" | "hang" | "reject" | undefined;
  /** How long the task stays queued, in seconds of service time. 0 if only `process_seconds` is given. */
  queue_seconds?: number | undefined;
  /** How long the provider then works on it, in seconds of service time. */
  process_seconds?: number | undefined;
  /** Ends the task at this read, counted from 1, instead of by time. */
  polls?: number | undefined;
  /** The number of clips, 0 to 20. @defaultValue 2 for music of `provider_a`, 1 for music of `provider_b` */
  clips?: number | undefined;
  /** The provider's own format. @defaultValue "wav" for `provider_a`, "mp3" for `provider_b` */
  format?: EncodedFormat | undefined;
  /** Whether the service can store the audio; if not, `audio_url` points at the provider's own origin. @defaultValue true */
  storable?: boolean | undefined;
  /** URLs that each clip carries as `alternate_urls`. */
  alternate_urls?: readonly string[] | undefined;
  /** The reason of a failure, for people. Like the next three fields, only with `outcome: "failure"`. */
  error?: string | undefined;
  /** The error code of a failure. @defaultValue "upstream_provider_error" */
  error_code?: TaskErrorCode | undefined;
  /** Whether resending the failed request can succeed. @defaultValue `false` for `content_moderation` and `invalid_task_input`, else `true` */
  retryable?: boolean | undefined;
  /** The wait that the provider states after a failure, in whole seconds. @defaultValue null */
  retry_after_seconds?: number | null | undefined;
}

/** An outcome that is set in advance. */
export interface ScopedOutcome extends Outcome {
  /** Only for the tasks of this account. These outcomes take precedence over those for all. @defaultValue all accounts */
  account_id?: string | undefined;
}

const LONGEST_PLAN_MS = 1e12;
const MOST_POLLS = 1e9;
const MOST_CLIPS = 20;

const formats = Object.keys(AUDIO_FORMATS).filter((name): name is EncodedFormat => name in AUDIO_FORMATS);
export const audioFormatSchema = oneOf(...formats);

const seconds = numberBetween(0, LONGEST_PLAN_MS / 1000);

const outcomeFields = {
  outcome: z.optional(oneOf("success", "failure", "hang", "reject")),
  queue_seconds: z.optional(seconds),
  process_seconds: z.optional(seconds),
  polls: z.optional(wholeNumber(1, MOST_POLLS)),
  clips: z.optional(wholeNumber(0, MOST_CLIPS)),
  format: z.optional(audioFormatSchema),
  storable: z.optional(flag),
  alternate_urls: z.optional(z.array(webUrl, "be a list of URLs")),
  error: z.optional(text),
  error_code: z.optional(oneOf(...TASK_ERROR_CODES)),
  retryable: z.optional(flag),
  retry_after_seconds: z.optional(z.nullable(wholeNumber(0, 1e9))),
};

const failureOnly = z.check<Outcome>(({ value, issues }) => {
  if (value.outcome === "failure") return;
  for (const name of ["error", "error_code", "retryable", "retry_after_seconds"] as const)
    if ((value[name] ?? null) !== null)
      issues.push({
        code: "custom",
        path: [name],
        input: value,
        message: 'be omitted unless `outcome` is "failure"',
      });
});

export type CheckedOutcome = z.output<typeof outcomeSchema>;
export const outcomeSchema = objectOf(outcomeFields).check(failureOnly).register(NAMED, { id: "Outcome" });

export const scopedOutcomeSchema = objectOf({ ...outcomeFields, account_id: z.optional(text) }).check(
  failureOnly,
);

export const scriptSchema = objectOf({
  /** For the next tasks, one each. */
  next: list(outcomeSchema),
  /** For every other task; null for none. */
  always: z.nullable(outcomeSchema),
});

export type Scripts = z.output<typeof scriptsSchema>;
export const scriptsSchema = objectOf({ provider_a: scriptSchema, provider_b: scriptSchema });

export function createScripts(): Scripts {
  return { provider_a: { next: [], always: null }, provider_b: { next: [], always: null } };
}

/** The script that decides on the account's next task of the model: its own, if it sets an outcome. */
export function scriptFor(model: Model, own: Scripts | undefined, shared: Scripts) {
  const script = own?.[model];
  return script !== undefined && (script.next.length > 0 || script.always !== null) ? script : shared[model];
}

export const failureSchema = objectOf({
  error: text,
  errorCode: oneOf(...TASK_ERROR_CODES),
  retryable: flag,
  retryAfterSeconds: z.nullable(count),
});

export type PlannedSuccess = z.output<typeof plannedSuccessSchema>;
export const plannedSuccessSchema = objectOf({
  outcome: z.literal("success"),
  clips: wholeNumber(0, MOST_CLIPS),
  format: audioFormatSchema,
  storable: flag,
  alternateUrls: z.nullable(list(webUrl)),
});

export type PlannedFailure = z.output<typeof plannedFailureSchema>;
const plannedFailureSchema = z.extend(failureSchema, { outcome: z.literal("failure") });

/** What the provider will do with a task. Fixed when the task is created. */
export type TaskPlan = z.output<typeof taskPlanSchema>;
export const taskPlanSchema = objectOf({
  queueMs: wholeNumber(0, LONGEST_PLAN_MS),
  workMs: wholeNumber(0, LONGEST_PLAN_MS),
  /** The read, counted from 1, at which the task ends; null if it ends by time. */
  polls: z.nullable(wholeNumber(1, MOST_POLLS)),
  end: unionBy("outcome", [
    plannedSuccessSchema,
    plannedFailureSchema,
    objectOf({ outcome: z.literal("hang") }),
  ]),
});

/** The default results. Tasks share these objects, to save memory. */
const DEFAULTS: Readonly<Record<Model, Readonly<Record<TaskType, PlannedSuccess>>>> = {
  provider_a: defaultsOf("wav", USUAL_CLIPS),
  provider_b: defaultsOf("mp3", { ...USUAL_CLIPS, music: 1 }),
};

function defaultsOf(format: PlannedSuccess["format"], usualClips: Readonly<Record<TaskType, number>>) {
  const common = { outcome: "success", format, storable: true, alternateUrls: null } as const;
  const results = TASK_TYPES.map((type) => [type, { ...common, clips: usualClips[type] }] as const);
  return Object.fromEntries(results) as Record<TaskType, PlannedSuccess>;
}

/** How long each type of task takes in all, in seconds: the bounds (Limits: Task duration). */
const DURATIONS: Readonly<Record<TaskType, readonly [shortest: number, longest: number]>> = {
  music: [30, 300],
  lyrics: [5, 15],
  upload: [5, 20],
  concat: [10, 40],
};

/** A song's median duration, in seconds, and the spread of its logarithm. */
const SONG_DURATION = { median: 90, spread: 0.5 };

const QUEUED_SHARE = [0.02, 0.15] as const;

const FAILURES: Readonly<Record<TaskErrorCode, { error: string; retryable: boolean }>> = {
  content_moderation: { error: "The provider's content moderation refused the request", retryable: false },
  invalid_task_input: { error: "The provider could not use the input", retryable: false },
  rate_limited: { error: "The provider has too many requests at the moment", retryable: true },
  upstream_provider_error: { error: "The provider failed while it worked on the task", retryable: true },
};

/** The end of a task whose input names no clip of the account, or one of a task of the wrong type. */
export const UNUSABLE_CLIP: PlannedFailure = {
  outcome: "failure",
  error: "The input names no clip that such a task can use",
  errorCode: "invalid_task_input",
  retryable: false,
  retryAfterSeconds: null,
};

/** Plans a task. What the outcome leaves open is drawn from the task's own random stream. */
export function planTask(model: Model, type: TaskType, outcome: Outcome, random: Random): TaskPlan {
  const totalMs = Math.round(1000 * drawDuration(type, random));
  const drawnQueueMs = Math.round(totalMs * between(random, ...QUEUED_SHARE));
  const { queue_seconds: queueSeconds, process_seconds: workSeconds, polls = null } = outcome;
  const unscriptedQueueMs = workSeconds === undefined ? drawnQueueMs : 0;
  return {
    queueMs: queueSeconds === undefined ? unscriptedQueueMs : Math.round(queueSeconds * 1000),
    workMs: workSeconds === undefined ? totalMs - drawnQueueMs : Math.round(workSeconds * 1000),
    polls,
    end: planEnd(model, type, outcome),
  };
}

function drawDuration(type: TaskType, random: Random): number {
  const [shortest, longest] = DURATIONS[type];
  if (type !== "music") return between(random, shortest, longest);
  const { median, spread } = SONG_DURATION;
  return Math.min(Math.max(median * Math.exp(spread * randomNormal(random)), shortest), longest);
}

export function planEnd(model: Model, type: TaskType, outcome: Outcome): TaskPlan["end"] {
  if (outcome.outcome === "hang") return { outcome: "hang" };
  if (outcome.outcome === "failure") {
    const errorCode = outcome.error_code ?? "upstream_provider_error";
    const { error, retryable } = FAILURES[errorCode];
    return {
      outcome: "failure",
      error: outcome.error ?? error,
      errorCode,
      retryable: outcome.retryable ?? retryable,
      retryAfterSeconds: outcome.retry_after_seconds ?? null,
    };
  }
  const { clips, format, storable, alternate_urls: alternateUrls } = outcome;
  const usual = DEFAULTS[model][type];
  if ((clips ?? format ?? storable ?? alternateUrls) === undefined) return usual;
  return {
    outcome: "success",
    clips: clips ?? usual.clips,
    format: format ?? usual.format,
    storable: storable ?? usual.storable,
    alternateUrls: alternateUrls === undefined ? null : [...alternateUrls],
  };
}

export type ProviderReport = { phase: "queued" | "processing"; progress: string } | FinishedReport;

export interface FinishedReport {
  phase: "completed" | "failed";
  end: PlannedSuccess | PlannedFailure;
  /** The task's age when it ended. */
  endedAfterMs: number;
}

const HANGS_AT = 80;

export function providerReport(plan: TaskPlan, ageMs: number, reads: number): ProviderReport {
  const { queueMs, workMs, polls, end } = plan;
  if (end.outcome !== "hang" && (polls === null ? ageMs >= queueMs + workMs : reads >= polls)) {
    const endedAfterMs = polls === null ? queueMs + workMs : ageMs;
    return { phase: end.outcome === "success" ? "completed" : "failed", end, endedAfterMs };
  }
  if (polls === null && ageMs < queueMs) return { phase: "queued", progress: "0%" };
  const share = polls === null ? (ageMs - queueMs) / Math.max(workMs, 1) : reads / polls;
  const most = end.outcome === "hang" ? HANGS_AT : 99;
  return { phase: "processing", progress: `${Math.min(Math.floor(share * 100), most)}%` };
}
