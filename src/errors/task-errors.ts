import type { MessageParts } from "../contract/message.js";
import type { TaskErrorCode } from "../contract/service.js";
import type { FailedTask, Known, Task } from "../contract/task.js";
import { excerpt } from "../contract/text.js";
import { AsyncMusicError, type ErrorDetails } from "./base.js";
import { brand } from "./brand.js";

/**
 * The task ended in `failure`. Its credits were refunded. The message has the service's reason: `task.error` without
 * control and format characters, up to 300 characters of it.
 */
export class TaskFailedError extends AsyncMusicError {
  static {
    brand(this, "TaskFailedError");
  }

  declare readonly taskId: string;

  /** The ended task; it narrows by `type` and `status`. */
  declare readonly task: FailedTask;

  /** The reason, as a stable classification. */
  declare readonly errorCode: Known<TaskErrorCode> | null;

  /** `false`: the same request can never succeed, so it must not be sent again. */
  declare readonly retryable: boolean | null;

  /** How long to wait before another try, in seconds, if the provider stated it; otherwise `null`. */
  declare readonly retryAfterSeconds: number | null;

  constructor(task: FailedTask) {
    const {
      task_id: taskId,
      error_code: errorCode,
      retryable,
      retry_after_seconds: retryAfterSeconds,
    } = task;
    const details = { taskId, task, errorCode, retryable, retryAfterSeconds };
    super(partsOfFailure(task), details);
  }
}

function partsOfFailure(task: FailedTask): MessageParts {
  const { task_id: taskId, status, error, error_code: errorCode } = task;
  const failed = status === "timeout" ? "timed out after an hour" : "failed";
  // The service's text: its period would end the sentence before the code.
  const reason = excerpt(error ?? "").replace(/\.$/, "");
  const code = excerpt(errorCode ?? "no error code");
  return {
    what: `Task ${taskId} ${failed}`,
    why: reason === "" ? code : `${reason} (${code})`,
    facts: ["Its credits were refunded."],
    advice: [adviceForFailure(task)],
  };
}

function adviceForFailure({ retryable, retry_after_seconds: seconds }: FailedTask): string {
  if (retryable === false) return "The same request can never succeed: change it before you send it again.";
  return `A new task may succeed${seconds === null ? "" : ` after ${seconds} s`}.`;
}

/** The task ended in `timeout`: it was unfinished after an hour. Its credits were refunded. */
export class TaskTimedOutError extends TaskFailedError {
  static {
    brand(this, "TaskTimedOutError");
  }
}

/** `maxWaitMs` passed before the task ended. The task continues: run its journal key again, or wait for its ID without a journal. */
export class WaitTimeoutError extends AsyncMusicError {
  static {
    brand(this, "WaitTimeoutError");
  }

  declare readonly taskId: string;

  /** The task as it was last read; `null` if no read succeeded. */
  declare readonly task: Task | null;

  constructor(
    message: string | MessageParts,
    details: { taskId: string; task: Task | null; cause?: unknown },
  ) {
    super(message, details);
  }
}

/**
 * The journal failed; what it threw is the `cause`. With a `taskId` the task exists, but the journal has not recorded it.
 * Without a `taskId`, this run created no task; `sent` tells whether the service received its request and refused it. An
 * earlier run with the key may have created a task: run the same key again, never a new one.
 */
export class JournalError extends AsyncMusicError {
  static {
    brand(this, "JournalError");
  }

  /** The key of the entry; empty if a list of the journal failed: `open`, `unacknowledged`, or `planned` of `async-music/postgres`. */
  declare readonly journalKey: string;

  /** Whether the run has sent its request. `true` without a `taskId`: the service refused the request of this run. */
  declare readonly sent: boolean;

  constructor(
    message: string | MessageParts,
    details: ErrorDetails & { journalKey: string; sent?: boolean },
  ) {
    const all = { sent: details.taskId !== undefined, ...details };
    super(message, all);
  }
}

/** The journal holds another request under this key; the message names its task, if it has one. Nothing was sent. */
export class JournalConflictError extends JournalError {
  static {
    brand(this, "JournalConflictError");
  }
}
