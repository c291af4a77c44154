import type { TaskSubmission } from "../contract/task.js";
import { ENDPOINTS } from "../contract/wire.js";
import { InvalidRequestError } from "../errors/base.js";
import type { Call } from "../http/call.js";
import { LONGEST_ID } from "../http/known-ids.js";
import type { Redactor } from "../http/redactor.js";
import type { RequestKind } from "../rate-limit/pacer.js";

/** The call that submits a task. */
export function createCall(body: string): Call {
  const { method, path } = ENDPOINTS.createTask;
  return { method, path, kind: "create", body, purpose: "create a task" };
}

/** The call that reads a task. */
export function retrieveCall(
  taskId: string,
  kind: Extract<RequestKind, "read" | "poll">,
  redactor: Redactor,
  journalKey?: string,
): Call {
  const { method, path } = ENDPOINTS.retrieveTask;
  checkTaskId(taskId, redactor);
  return {
    method,
    path: path.replace("{taskId}", () => encodeURIComponent(taskId)),
    kind,
    purpose: kind === "poll" ? `wait for task ${taskId}` : `retrieve task ${taskId}`,
    taskId,
    ...(kind === "poll" ? { advice: resumeAdvice(taskId) } : {}),
    adviceIfNotFound: () =>
      journalKey === undefined ? notFoundAdvice(taskId) : notFoundInJournal(journalKey),
  };
}

/** How to go on after a wait that ended early. */
export function resumeAdvice(taskId: string): string {
  return `Resume with client.tasks.wait(${JSON.stringify(taskId)}).`;
}

/** What to look at where the account has no such task. */
export function notFoundAdvice(taskId: string): string {
  return (
    `Is it a task's id, and no clip's? Then client.tasks.wait(${JSON.stringify(taskId)}) needs a key of the account that ` +
    "submitted it."
  );
}

function notFoundInJournal(journalKey: string): string {
  return (
    `The journal names this task under ${JSON.stringify(journalKey)}: was that recorded with another account, or with ` +
    "an emulator that has ended?"
  );
}

/** Whether a task can be read by this id. An empty id or a dot segment names another URL, and a key must not get into one. */
export function isTaskId(value: unknown, redactor: Redactor): value is string {
  if (typeof value !== "string" || value.length > LONGEST_ID) return false;
  const isUsable = !/^\.{0,2}$|\p{Surrogate}/u.test(value);
  return isUsable && !redactor.isSecret(value) && !redactor.isGivenAway(value);
}

/** Refuses what no task can be read by. */
export function checkTaskId(taskId: unknown, redactor: Redactor): void {
  if (isTaskId(taskId, redactor)) return;
  throw noTask("taskId", taskId);
}

/** The id of a task that is given as its id or as its submission. */
export function taskIdOf(task: string | TaskSubmission): string {
  const taskId: unknown = typeof task === "string" ? task : task?.task_id;
  if (typeof taskId === "string") return taskId;
  throw noTask("task", task);
}

/** The service's own code, as of every request that it would refuse. */
function noTask(path: string, got: unknown): InvalidRequestError {
  const message = `must be a task ID or the result of \`create\`${hintAbout(got)}`;
  return new InvalidRequestError("task_not_found", [{ path, message }]);
}

function hintAbout(got: unknown): string {
  if (typeof Object(got).then === "function") return "; it is a promise: await it first";
  if (Object(got).audio_url !== undefined) return "; it is a clip: its task has an id of its own";
  return "";
}
