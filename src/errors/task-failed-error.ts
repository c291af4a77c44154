import type { TaskErrorCode } from "../contract/error-code.js";
import type { Known, Task } from "../contract/task.js";
import { AsyncMusicError } from "./async-music-error.js";

/** The task ended in `failure`. Its credits were refunded. */
export class TaskFailedError extends AsyncMusicError {
  override name = "TaskFailedError";

  declare readonly taskId: string;

  /** The task as it ended. */
  readonly task: Task;

  /** Why, as a stable classification. */
  readonly errorCode: Known<TaskErrorCode> | null;

  /** `false`: the same request can never succeed, so it must not be sent again. */
  readonly retryable: boolean | null;

  /** How long to wait before another try, in seconds, where the provider said so. */
  readonly retryAfterSeconds: number | null;

  constructor(task: Task) {
    super(`Failed to finish task ${task.task_id}: ${reasonOf(task)}. ${adviceFor(task)}`, {
      taskId: task.task_id,
    });
    this.task = task;
    this.errorCode = task.error_code;
    this.retryable = task.retryable;
    this.retryAfterSeconds = task.retry_after_seconds;
  }
}

function reasonOf(task: Task): string {
  const code = task.error_code ?? "no error code";
  return task.status === "timeout" ? `${code}, unfinished after an hour` : code;
}

function adviceFor({ retryable, retry_after_seconds: seconds }: Task): string {
  const refunded = "Its credits were refunded; it can't be resumed.";
  if (retryable === false)
    return `${refunded} The same request can never succeed: change it before you send it again.`;
  return `${refunded} A new task may succeed${seconds === null ? "" : ` after ${seconds} s`}.`;
}
