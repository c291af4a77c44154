import { isTaskType, type TaskType } from "../contract/service.js";
import type { Task, TaskSubmission } from "../contract/task.js";

/** The submission of a task that the journal has by its ID only. `intentAt`: when the intent of its request was written. */
export function submissionOf(task: Task, intentAt: string, requestedType: TaskType): TaskSubmission {
  const { task_id, type, credits_cost, created_at, audio_format } = task;
  return {
    task_id,
    // A type that this version does not list cannot be requested with it.
    type: isTaskType(type) ? type : requestedType,
    status: "pending",
    credits_charged: credits_cost,
    created_at: created_at ?? intentAt,
    audio_format,
  };
}
