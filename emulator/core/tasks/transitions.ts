import type { TaskStatus } from "../../../src/contract/task.js";
import type { OpenTask } from "../stored/task.js";

/** What the provider of an open task can report when it is read. */
export type TaskEvent = "queued" | "processing" | "completed" | "failed";

/**
 * What a report makes of an open task (States and transitions). Besides, the hour leads from both statuses to
 * `timeout`. Nothing leads out of a final status, and nothing back to `pending`.
 */
export const TRANSITIONS: Readonly<
  Record<OpenTask["status"], Readonly<Record<TaskEvent, Exclude<TaskStatus, "timeout">>>>
> = {
  pending: { queued: "pending", processing: "running", completed: "success", failed: "failure" },
  running: { queued: "running", processing: "running", completed: "success", failed: "failure" },
};
