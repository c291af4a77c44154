/** Every status that a task can have (States and transitions). */
export const TASK_STATUSES = ["pending", "running", "success", "failure", "timeout"] as const;

/** Where a task stands. The last three are final. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The statuses that a task never leaves. */
export const FINAL_STATUSES = ["success", "failure", "timeout"] as const satisfies readonly TaskStatus[];

/** A status that a task never leaves. */
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** Whether a task with this status is over; a status that this version does not know is not. */
export function isFinalStatus(status: string): status is FinalStatus {
  return FINAL_STATUSES.some((final) => final === status);
}
