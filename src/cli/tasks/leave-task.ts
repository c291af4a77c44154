import { printableLine } from "../../contract/text.js";
import { type SucceededTask, type TaskSubmission, WaitTimeoutError } from "../../index.js";
import { writeJson } from "../terminal/json.js";
import { type Attended, attendTask, type Begin, type WatchOptions } from "./attend-task.js";
import { resumeCommand } from "./task-fault.js";

/** Submits a task and leaves it: its id is the result. */
export async function leaveTask(attended: Attended, begin: Begin<SucceededTask>): Promise<void> {
  const { flags } = attended;
  const { stdout, stderr } = attended.surroundings;
  const submit = (options: WatchOptions) => submittedBy(begin, options);
  await attendTask(attended, submit, (task) => {
    const again = flags.journal === undefined ? "To" : "Run the same without --no-wait to";
    const or = flags.journal === undefined ? "" : ", or";
    stderr.write(
      `${again} go on with the task${or}:\n\n  ${printableLine(resumeCommand(task.task_id, flags))}\n`,
    );
    if (flags.json) writeJson(stdout, { task });
    else stdout.write(`${printableLine(task.task_id)}\n`);
  });
}

/** What the submission was answered; of a key that somebody has settled no more than the id is known. */
async function submittedBy(
  begin: Begin<SucceededTask>,
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
