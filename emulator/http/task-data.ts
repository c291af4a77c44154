import type { TaskType } from "../../src/contract/models.js";
import type { Clip, Lyrics, Task, TaskFields, TaskOutput, TaskSubmission } from "../../src/contract/task.js";
import { reportOn } from "../core/providers.js";
import type { OpenTask, StoredTask, SucceededTask } from "../core/task.js";
import { isoTime } from "../time/clock.js";
import { clipsData } from "./clip-data.js";
import type { Origins } from "./origins.js";

/** A new task, as the answer to its creation has it. */
export function submissionData({ id, type, credits, audioFormat, createdAt }: OpenTask): TaskSubmission {
  return {
    task_id: id,
    type,
    status: "pending",
    credits_charged: credits,
    created_at: isoTime(createdAt),
    audio_format: audioFormat,
  };
}

/** A task in the nullable shape of the wire (Resources: Task). */
export function taskData(task: StoredTask, now: number, origins: Origins): Task {
  const failed = task.status === "failure" || task.status === "timeout";
  const data: TaskFields<TaskType> = {
    task_id: task.id,
    model: task.model,
    type: task.type,
    status: task.status,
    credits_cost: task.credits,
    input: task.input,
    audio_format: task.audioFormat,
    output: outputData(task, now, origins),
    error: failed ? task.error : null,
    error_code: failed ? task.errorCode : null,
    retryable: failed ? task.retryable : null,
    retry_after_seconds: failed ? task.retryAfterSeconds : null,
    created_at: isoTime(task.createdAt),
    completed_at: "completedAt" in task ? isoTime(task.completedAt) : null,
  };
  // The stored task is what makes its type, status and output agree.
  return data as Task;
}

/** What the provider reported; `null` before it began, and where it never came to an end. */
function outputData(task: StoredTask, now: number, origins: Origins): TaskOutput | null {
  switch (task.status) {
    case "pending":
    case "timeout":
      return null;
    case "running": {
      const report = reportOn(task.plan, now - task.createdAt, task.reads);
      const progress = "progress" in report ? report.progress : null;
      const status = report.phase === "queued" ? "queued" : "processing";
      return { task_type: task.type, status, progress, fail_reason: null, result: null };
    }
    case "success":
      return {
        task_type: task.type,
        status: "completed",
        progress: "100%",
        fail_reason: null,
        result: resultData(task, origins),
      };
    case "failure":
      return {
        task_type: task.type,
        status: "failed",
        progress: null,
        fail_reason: task.error,
        result: null,
      };
    default:
      return task satisfies never;
  }
}

function resultData(task: SucceededTask, origins: Origins): Clip[] | Lyrics {
  const { result } = task;
  return Array.isArray(result)
    ? clipsData(task, result, origins)
    : { title: result.title, text: result.text };
}
