import type { Model, TaskType } from "../../../src/contract/models.js";
import type { TaskErrorCode } from "../../../src/contract/wire.js";
import type { AudioFormat } from "../../audio/formats/formats.js";
import { type Random, randomNormal } from "../../time/random.js";
import { invariant } from "../invariant.js";
import type { Outcome } from "./outcome.js";

/** What a provider will do with a task. It is settled when the task is submitted, and no read changes it. */
export interface Plan {
  /** How long the task waits, and how long it is then worked on. */
  queueMs: number;
  workMs: number;
  /** The read, counted from 1, at which it ends; `null` where it ends by time. */
  polls: number | null;
  end: PlannedEnd;
}

type PlannedEnd = PlannedSuccess | PlannedFailure | { outcome: "hang" };

export interface PlannedSuccess {
  readonly outcome: "success";
  readonly clips: number;
  readonly format: AudioFormat;
  readonly storable: boolean;
  readonly alternateUrls: readonly string[] | null;
}

export interface PlannedFailure {
  outcome: "failure";
  error: string;
  errorCode: TaskErrorCode;
  retryable: boolean;
  retryAfterSeconds: number | null;
}

/** What each provider makes of a song by itself. All such tasks share it: there may be a great many. */
const USUAL_SONGS: Readonly<Record<Model, PlannedSuccess>> = {
  provider_a: { outcome: "success", clips: 2, format: "wav", storable: true, alternateUrls: null },
  provider_b: { outcome: "success", clips: 1, format: "mp3", storable: true, alternateUrls: null },
};

/** The same of everything else. */
const USUAL_OTHERS: Readonly<Record<Model, PlannedSuccess>> = {
  provider_a: { ...USUAL_SONGS.provider_a, clips: 1 },
  provider_b: { ...USUAL_SONGS.provider_b, clips: 1 },
};

/** How long each type of task takes in all, in seconds (Limits: Task duration). */
const DURATIONS: Readonly<Record<TaskType, (random: Random) => number>> = {
  music: (random) => Math.min(Math.max(90 * Math.exp(0.5 * randomNormal(random)), 30), 300),
  lyrics: between(5, 15),
  upload: between(5, 20),
  concat: between(10, 40),
};

/** How much of that a task waits. */
const QUEUED_PART = between(0.02, 0.15);

const FAILURES: Readonly<Record<TaskErrorCode, { error: string; retryable: boolean }>> = {
  content_moderation: { error: "The provider's content moderation refused the request", retryable: false },
  invalid_task_input: { error: "The provider could not use the input", retryable: false },
  rate_limited: { error: "The provider has too many requests at the moment", retryable: true },
  upstream_provider_error: { error: "The provider failed while it worked on the task", retryable: true },
};

/** What comes of a clip id that the account does not have: the same for unknown and foreign ones. */
export const UNKNOWN_CLIP: PlannedFailure = {
  outcome: "failure",
  error: "The input names a clip that does not exist",
  errorCode: "invalid_task_input",
  retryable: false,
  retryAfterSeconds: null,
};

/** Plans a task: what the outcome leaves open is drawn from the task's own chance. */
export function planTask(model: Model, taskType: TaskType, outcome: Outcome, random: Random): Plan {
  const totalMs = Math.round(1000 * DURATIONS[taskType](random));
  const drawnQueueMs = Math.round(totalMs * QUEUED_PART(random));
  const { queue_seconds: queueSeconds, process_seconds: workSeconds, polls = null } = outcome;
  const unscriptedQueueMs = workSeconds === undefined ? drawnQueueMs : 0;
  return {
    queueMs: queueSeconds === undefined ? unscriptedQueueMs : Math.round(queueSeconds * 1000),
    workMs: workSeconds === undefined ? totalMs - drawnQueueMs : Math.round(workSeconds * 1000),
    polls,
    end: planEnd(model, taskType, outcome),
  };
}

/** What the provider had planned to make, and so has made. */
export function plannedSuccess({ plan }: { plan: Plan }): PlannedSuccess {
  invariant(plan.end.outcome === "success", "only a task that was planned to succeed does");
  return plan.end;
}

function planEnd(model: Model, taskType: TaskType, outcome: Outcome): PlannedEnd {
  if (outcome.outcome === "hang") return { outcome: "hang" };
  if (outcome.outcome === "failure") {
    const errorCode = outcome.error_code ?? "upstream_provider_error";
    const usual = FAILURES[errorCode];
    return {
      outcome: "failure",
      error: outcome.error ?? usual.error,
      errorCode,
      retryable: outcome.retryable ?? usual.retryable,
      retryAfterSeconds: outcome.retry_after_seconds ?? null,
    };
  }
  const { clips, format, storable, alternate_urls: alternateUrls } = outcome;
  const usual = (taskType === "music" ? USUAL_SONGS : USUAL_OTHERS)[model];
  if ([clips, format, storable, alternateUrls].every((each) => each === undefined)) return usual;
  return {
    outcome: "success",
    clips: clips ?? usual.clips,
    format: format ?? usual.format,
    storable: storable ?? usual.storable,
    alternateUrls: alternateUrls === undefined ? null : [...alternateUrls],
  };
}

function between(least: number, most: number): (random: Random) => number {
  return (random) => least + (most - least) * random();
}
