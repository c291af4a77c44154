import type { TaskErrorCode } from "./error-code.js";
import type { Model, TaskType } from "./model.js";
import type { TaskStatus } from "./status.js";

/**
 * A value that the interface lists, or one that a later version of the service may add: readers must have an answer
 * for what they don't know.
 */
export type Known<Value extends string> = Value | (string & {});

/** What the service answers to a new task: it is accepted, and its credits are frozen. */
export interface TaskSubmission<Type extends TaskType = TaskType> {
  task_id: string;
  type: Type;
  /** Always `pending`. */
  status: Known<"pending">;
  /** The credits frozen for the task. */
  credits_charged: number;
  /** ISO 8601. */
  created_at: string;
  /** The requested format, `null` where none was requested. */
  audio_format: string | null;
  /** What a later version of the service may add. */
  [field: string]: unknown;
}

/** A task as the service last saw it. */
export interface Task {
  task_id: string;
  model: Known<Model>;
  type: Known<TaskType>;
  /** `success`, `failure` and `timeout` are final. */
  status: Known<TaskStatus>;
  /** The credits frozen or charged; what a task cost also after it was refunded. */
  credits_cost: number;
  /** The input as it was submitted. */
  input: Readonly<Record<string, unknown>>;
  /** The requested format, which says nothing of the real one: that is the `Content-Type` of the audio. */
  audio_format: string | null;
  /** Filled on `success`; before, and after a failure, it may be `null` or have a `result` of `null`. */
  output: TaskOutput | null;
  /** Why the task ended in `failure` or `timeout`, as prose: show it, don't branch on it. */
  error: string | null;
  /** Why the task ended in `failure` or `timeout`; `null` in every other status. */
  error_code: Known<TaskErrorCode> | null;
  /** `false`: the same request can never succeed. `null` unless the task failed. */
  retryable: boolean | null;
  /** How long to wait before another try, in seconds, where the provider said so. */
  retry_after_seconds: number | null;
  /** ISO 8601. */
  created_at: string | null;
  /** ISO 8601; `null` until the task is over. The audio's seven days begin here. */
  completed_at: string | null;
  /** What a later version of the service may add. */
  [field: string]: unknown;
}

/** A task that ended in `success`, with the result of its type. */
export type SucceededTask<Type extends TaskType = TaskType> = {
  [Each in Type]: SucceededTaskOf<Each>;
}[Type];

/** A succeeded task of one type. */
export interface SucceededTaskOf<Type extends TaskType> extends Task {
  type: Type;
  status: "success";
  output: SucceededOutput<Type>;
}

/** What the provider reported of a task. */
export interface TaskOutput {
  task_type?: string;
  /** The provider's own status: `queued`, `processing`, `completed`, `failed`. */
  status?: string;
  /** How far the provider is, for example a percentage. */
  progress?: string | null;
  fail_reason?: string | null;
  result?: Clip[] | Lyrics | null;
  [field: string]: unknown;
}

/** The output of a task that succeeded. */
export interface SucceededOutput<Type extends TaskType> extends TaskOutput {
  result: TaskResults[Type];
}

/** What each task type makes. */
export interface TaskResults {
  music: Clip[];
  lyrics: Lyrics;
  upload: Clip[];
  concat: Clip[];
}

/** A piece of audio. Fields beyond the documented ones pass through; they may vanish without notice. */
export interface Clip {
  /** Usable for continuation and concat. */
  id: string;
  /** Works for seven days after the task completed. The real format is the `Content-Type` of its answer. */
  audio_url: string;
  /** Cover art of music clips, served by the provider. */
  image_url?: string;
  /** Larger cover art, where the provider has it. */
  image_large_url?: string;
  /** Music clips. */
  title?: string;
  /** Music clips. */
  metadata?: ClipMetadata;
  [field: string]: unknown;
}

/** What a music clip says of itself. */
export interface ClipMetadata {
  /** Seconds. */
  duration?: number;
  tags?: string;
  prompt?: string;
  [field: string]: unknown;
}

/** The result of a lyrics task. */
export interface Lyrics {
  title: string;
  /** The lyrics, with structure tags such as `[Verse]`. */
  text: string;
  [field: string]: unknown;
}
