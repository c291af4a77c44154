import { type AsyncMusic, type SucceededTask, type TaskSubmission, WaitTimeoutError } from "../../index.js";
import { writeJson } from "../terminal/json.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { resumeCommand, type TaskFlags } from "./task-fault.js";
import { attendTask, type WatchOptions } from "./task-watch.js";

/** Submits a task and leaves it: its id is the result. */
export async function leaveTask(
  client: AsyncMusic,
  flags: TaskFlags,
  surroundings: Surroundings,
  knownTaskId: string | null,
  begin: (options: WatchOptions) => Promise<SucceededTask>,
): Promise<void> {
  const { stdout, stderr } = surroundings;
  const submit = (options: WatchOptions) => submittedBy(begin, options);
  await attendTask(client, flags, surroundings, knownTaskId, submit, (task) => {
    const again = flags.journal === undefined ? "To" : "Run the same without --no-wait to";
    const or = flags.journal === undefined ? "" : ", or";
    stderr.write(`${again} go on with the task${or}:\n\n  ${resumeCommand(task.task_id, flags)}\n`);
    if (flags.json) writeJson(stdout, { task });
    else stdout.write(`${task.task_id}\n`);
  });
}

/** What the submission was answered; of a key that somebody has settled no more than the id is known. */
async function submittedBy(
  begin: (options: WatchOptions) => Promise<SucceededTask>,
  options: WatchOptions,
): Promise<Pick<TaskSubmission, "task_id">> {
  const leaving = new AbortController();
  let submitted: TaskSubmission | null = null;
  const onSubmitted = (submission: TaskSubmission) => {
    submitted = submission;
    options.onSubmitted(submission);
    leaving.abort();
  };
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  try {
    const task = await begin({ ...options, signal, onSubmitted, maxWaitMs: 1 });
    return submitted ?? task;
  } catch (error) {
    if (submitted !== null && error === leaving.signal.reason) return submitted;
    if (error instanceof WaitTimeoutError && error.taskId !== null) return { task_id: error.taskId };
    throw error;
  }
}
