import type { Task } from "../contract/task.js";
import { AsyncMusicError } from "./async-music-error.js";

/** `maxWaitMs` passed before the task was over. The task goes on: wait for its id again. */
export class WaitTimeoutError extends AsyncMusicError {
  override name = "WaitTimeoutError";

  declare readonly taskId: string;

  /** The task as it was last seen; `null` when no read of it succeeded. */
  readonly task: Task | null;

  constructor(message: string, details: { taskId: string; task: Task | null; cause?: unknown }) {
    super(message, details);
    this.task = details.task;
  }
}
