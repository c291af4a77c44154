import { TaskFailedError } from "./task-failed-error.js";

/** The task ended in `timeout`: it was unfinished after an hour. Its credits were refunded. */
export class TaskTimedOutError extends TaskFailedError {
  override name = "TaskTimedOutError";
}
