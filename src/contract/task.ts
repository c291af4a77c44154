import type { Model, TaskErrorCode, TaskStatus, TaskType } from "./service.js";

/**
 * A string that this version of the SDK does not list, such as a task type or a status that the service added later.
 * Unlike `string` it has no overlap with the listed values, so that a comparison with one of those narrows a union.
 */
export type Unlisted = `${string & { readonly unlisted: never }}`;

/**
 * A value that the interface lists, or one that a later version of the service may add: handle unknown values. A comparison
 * with a misspelled value does not compile. To compare with a value that is not listed, make it a plain string first:
 * `String(task.error_code) === "voice_unavailable"`.
 */
export type Known<Value extends string> = Value | Unlisted;

/** The type of a task: one that the interface lists, or a later one. */
export type AnyTaskType = TaskType | Unlisted;

/** The response to a new task: it is accepted, and its credits are frozen. */
export interface TaskSubmission<Type extends TaskType = TaskType> {
  /** The ID for `retrieve`, `wait` and `watch`: a UUID. Save it, since the service lists no tasks. */
  task_id: string;
  /** The `task_type` of the request. */
  type: Type;
  /** Always `pending`. */
  status: Known<"pending">;
  /** The credits frozen for the task; 1 credit is 0.01 USD. They are refunded unless the task succeeds. */
  credits_charged: number;
  /** When the service accepted it, as an ISO 8601 date-time. */
  created_at: string;
  /** The requested format, `null` if none was requested. */
  audio_format: string | null;
}

/**
 * A task as the service last reported it: a union that narrows by `type` and `status`. A type or a status that this
 * version does not list has the type `Unlisted`. To compare with such a value, make it a plain string first:
 * `String(task.status) === "paused"`.
 *
 * @example
 * ```ts
 * const task = await client.tasks.retrieve(taskId);
 * if (task.type === "music" && task.status === "success") console.log(task.output.result[0]?.audio_url);
 * if (task.status === "failure" || task.status === "timeout") console.log(task.error);
 * ```
 */
export type Task<Type extends AnyTaskType = AnyTaskType> =
  | UnfinishedTask<Type>
  | SucceededTask<Type>
  | FailedTask<Type>;

/** The type of a task that is given by its ID or by its submission: only the submission states it. */
export type TypeOf<Given extends string | TaskSubmission> =
  Given extends TaskSubmission<infer Type> ? Type : AnyTaskType;

/** A task that is not finished: `pending`, `running`, or a status that this version does not list. */
export type UnfinishedTask<Type extends AnyTaskType = AnyTaskType> = Type extends AnyTaskType
  ? UnfinishedTaskOf<Type, "pending"> | UnfinishedTaskOf<Type, "running"> | UnfinishedTaskOf<Type, Unlisted>
  : never;

/** A task that ended in `success`, with the result of its type. */
export type SucceededTask<Type extends AnyTaskType = AnyTaskType> = Type extends AnyTaskType
  ? SucceededTaskOf<Type>
  : never;

/** A task that ended in `failure` or `timeout`. Its credits were refunded. */
export type FailedTask<Type extends AnyTaskType = AnyTaskType> = Type extends AnyTaskType
  ? FailedTaskOf<Type, "failure"> | FailedTaskOf<Type, "timeout">
  : never;

/** An unfinished task of one type and status. */
export interface UnfinishedTaskOf<Type extends AnyTaskType, Status extends "pending" | "running" | Unlisted>
  extends TaskFields<Type> {
  status: Status;
}

/** A succeeded task of one type. */
export interface SucceededTaskOf<Type extends AnyTaskType> extends TaskFields<Type> {
  status: "success";
  /** With the result of the task's type. The `result` may be `null` if this version does not list the type. */
  output: SucceededOutput<Type>;
}

/** A failed task of one type and status. */
export interface FailedTaskOf<Type extends AnyTaskType, Status extends "failure" | "timeout">
  extends TaskFields<Type> {
  status: Status;
}

/** The fields of every task. */
export interface TaskFields<Type extends AnyTaskType> {
  /** A UUID. Only the account that submitted the task sees it. */
  task_id: string;
  /** The provider it runs on: `provider_a` or `provider_b`. */
  model: Known<Model>;
  /** What the task makes: one of `TASK_TYPES`, or a type that a later version of the service adds. */
  type: Type;
  /** `success`, `failure` and `timeout` are final; the last comes after an hour in `pending` or `running`. */
  status: TaskStatus | Unlisted;
  /** The credits frozen or charged. It keeps its value after a refund. */
  credits_cost: number;
  /** The input as it was submitted. */
  input: Readonly<Record<string, unknown>>;
  /** The requested format. The actual one is the `Content-Type` of the audio. */
  audio_format: string | null;
  /** Filled on `success`; before, and after a failure, it may be `null` or have a `result` of `null`. */
  output: TaskOutput | null;
  /** Why the task ended in `failure` or `timeout`, as text: show it, don't branch on it. */
  error: string | null;
  /** Why the task ended in `failure` or `timeout`; `null` in every other status. */
  error_code: Known<TaskErrorCode> | null;
  /** `false`: the same request can never succeed. `null` unless the task failed. */
  retryable: boolean | null;
  /** Seconds to wait before another try, if the provider stated them; also `null` when the provider's quota is spent. */
  retry_after_seconds: number | null;
  /** When the service accepted it, as an ISO 8601 date-time. */
  created_at: string | null;
  /** When it ended, as an ISO 8601 date-time; `null` until then. The audio's seven days begin here. */
  completed_at: string | null;
}

/**
 * Whether a task is a song: one that succeeded has clips in `task.output.result`.
 *
 * @example
 * ```ts
 * const task = await client.tasks.wait(taskId);
 * if (isMusic(task)) console.log(task.output.result[0]?.audio_url);
 * ```
 */
export function isMusic<Each extends Task>(task: Each): task is Extract<Each, { type: "music" }> {
  return task.type === "music";
}

/** Whether a task is lyrics: one that succeeded has a title and a text in `task.output.result`. */
export function isLyrics<Each extends Task>(task: Each): task is Extract<Each, { type: "lyrics" }> {
  return task.type === "lyrics";
}

/**
 * The provider's report about a task. Only the `result` of a succeeded task is checked: each other field may be of another type than
 * the interface states.
 */
export interface TaskOutput {
  /** The `type` of the task. */
  task_type?: string;
  /** The provider's own status: `queued`, `processing`, `completed`, `failed`. */
  status?: string;
  /** The provider's progress, for example a percentage. */
  progress?: string | null;
  /** Why the provider failed, as text: show it, don't branch on it. */
  fail_reason?: string | null;
  /** Clips or lyrics of a succeeded task, by its `type`; `null` while it is unfinished, and after a failure. */
  result?: unknown;
}

/** The output of a task that succeeded. */
export interface SucceededOutput<Type extends AnyTaskType> extends TaskOutput {
  result: Type extends TaskType ? TaskResults[Type] : unknown;
}

/** The result of each task type. */
export interface TaskResults {
  music: Clip[];
  lyrics: Lyrics;
  upload: Clip[];
  concat: Clip[];
}

/**
 * A piece of audio. Only `id` and `audio_url` are checked. All other fields are passed on as the provider sent them: each may be
 * absent, `null`, or of another type than the interface states. Fields that the interface does not list are kept: read them with
 * `extraField`. They may disappear without notice.
 */
export interface Clip {
  /** For later requests with a key of the same account. Each field for a clip ID says which types of clips it accepts. */
  id: string;
  /** Works for seven days after the task completed. The real format is the `Content-Type` of its response. */
  audio_url: string;
  /** Cover art of music clips, served by the provider: the seven days of the audio don't apply to it. */
  image_url?: string;
  /** Larger cover art, where the provider has it, under the same rule. */
  image_large_url?: string;
  /** The song's title; music clips only. */
  title?: string;
  /** The provider's description of the song; music clips only. */
  metadata?: ClipMetadata;
}

/** The provider's description of a music clip. Other fields differ by provider: read them with `extraField`. */
export interface ClipMetadata {
  /** The length of the audio in seconds, which need not be whole. */
  duration?: number;
  /** The styles of the song, separated by commas. It may be empty. */
  tags?: string;
  /** The prompt of the song, such as its lyrics. It may be empty. */
  prompt?: string;
}

/** The result of a lyrics task. */
export interface Lyrics {
  /** The title of the lyrics. */
  title: string;
  /** The lyrics, with structure tags such as `[Verse]`. */
  text: string;
}
