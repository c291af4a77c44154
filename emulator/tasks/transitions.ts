import type { TaskStatus } from "../../src/contract/status.js";
import type { OpenTask } from "../stored/task.js";

/** What can happen to an open task: what its provider reports when it is read, and the hour. */
export type TaskEvent = "queued" | "processing" | "completed" | "failed" | "hour_passed";

/**
 * Every transition that there is (States and transitions). Nothing leads out of a final status, and nothing back to
 * `pending`.
 */
export const TRANSITIONS: Readonly<Record<OpenTask["status"], Readonly<Record<TaskEvent, TaskStatus>>>> = {
  pending: {
    queued: "pending",
    processing: "running",
    completed: "success",
    failed: "failure",
    hour_passed: "timeout",
  },
  running: {
    queued: "running",
    processing: "running",
    completed: "success",
    failed: "failure",
    hour_passed: "timeout",
  },
};
