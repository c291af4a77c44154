import type { TaskSubmission } from "../contract/task.js";
import { lowerCaseUuid } from "../contract/text.js";
import { InvalidRequestError } from "../errors/base.js";
import type { Redactor } from "../errors/redactor.js";
import { LONGEST_ID } from "../http/ids.js";

/** Whether a task can be read by this ID. A blank ID or a dot segment names another URL, and a key must not get into one. */
export function isTaskId(value: unknown, redactor: Redactor): value is string {
  if (typeof value !== "string" || value.length > LONGEST_ID) return false;
  return !/^[\s.]*$|\p{Surrogate}/u.test(value) && !redactor.containsKey(value);
}

/**
 * The ID of a task that is given by its ID or as its submission, in lower case: polls and the pacer compare IDs as text.
 *
 * @throws InvalidRequestError if it is unusable
 */
export function taskIdOf(task: string | TaskSubmission, redactor: Redactor): string {
  const taskId: unknown = typeof task === "string" ? task : task?.task_id;
  if (isTaskId(taskId, redactor)) return lowerCaseUuid(taskId);
  throw typeof taskId === "string" ? noTask("taskId", taskId) : noTask("task", task);
}

function noTask(path: string, got: unknown): InvalidRequestError {
  let hint = "";
  if (typeof Object(got).then === "function") hint = "; got a promise: await it first";
  else if (Object(got).audio_url !== undefined) hint = "; got a clip: pass the ID of its task";
  const message = `must be a task ID or the result of \`create\`${hint}`;
  return new InvalidRequestError("task_not_found", [{ path, message }]);
}
