import type { TaskType } from "../contract/service.js";
import type { Task, TaskSubmission } from "../contract/task.js";

/** The submission of a task that the journal has by its ID only. `intentAt`: when the intent of its request was written. */
export function submissionOf(task: Task, intentAt: string, type: TaskType): TaskSubmission {
  const { task_id, credits_cost, created_at, audio_format } = task;
  return {
    task_id,
    type,
    status: "pending",
    credits_charged: credits_cost,
    created_at: created_at ?? intentAt,
    audio_format,
  };
}
