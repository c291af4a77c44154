import type { TaskSubmission } from "../../index.js";
import { connect } from "../connect.js";
import type { WaitFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { watchTask } from "./task-watch.js";

/** Waits for a task that was submitted before, and saves what it made. */
export async function waitForTask(
  taskId: string,
  flags: WaitFlags,
  surroundings: Surroundings,
): Promise<void> {
  const client = connect(flags, surroundings);
  await watchTask(
    { client, flags, surroundings, knownTaskId: taskId, type: null },
    ({ signal, onUpdate, maxWaitMs }) =>
      client.tasks.wait(submittedLongAgo(taskId), { signal, onUpdate, maxWaitMs }),
  );
}

/** Nothing is known of the task but its id. It may be over, so that it is read at once, as one of long ago is. */
function submittedLongAgo(taskId: string): TaskSubmission {
  return {
    task_id: taskId,
    type: "music",
    status: "pending",
    credits_charged: 0,
    created_at: new Date(0).toISOString(),
    audio_format: null,
  };
}
