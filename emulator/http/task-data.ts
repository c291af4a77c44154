import { ENDPOINTS, type TaskType } from "../../src/contract/service.js";
import type { Clip, Lyrics, Task, TaskFields, TaskOutput } from "../../src/contract/task.js";
import { providerReport } from "../core/providers.js";
import { type MadeClip, parseInput, type StoredSuccess, type StoredTask } from "../core/task.js";
import { isoTime } from "../time/clock.js";
import type { Origins } from "./messages.js";
import { inProcessOrigins } from "./service.js";

/** A task as JSON (Resources: Task). Its URLs belong to the adapter of the request. */
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
  // The stored task makes type, status and output agree.
  return data as Task;
}

/** How open tasks were last read: most polls of a task get an equal response, whose text the log then keeps once. */
const lastReads = new WeakMap<StoredTask, { output: string; body: string }>();

/** The body of the response to a read of a task. */
export function taskBody(task: StoredTask, now: number, origins: Origins): string {
  const data = taskData(task, now, origins);
  const write = () => JSON.stringify({ code: ENDPOINTS.retrieveTask.status, data });
  if ("completedAt" in task) return write();
  // Until a task ends, only its output changes, and its status with it.
  const output = JSON.stringify(data.output);
  const last = lastReads.get(task);
  if (last?.output === output) return last.body;
  const body = write();
  lastReads.set(task, { output, body });
  return body;
}

/** The provider's report; `null` before the first one, and after a timeout. */
function outputData(task: StoredTask, now: number, origins: Origins): TaskOutput | null {
  const { type: task_type } = task;
  switch (task.status) {
    case "pending":
    case "timeout":
      return null;
    case "running": {
      const report = providerReport(task.plan, now - task.createdAt, task.reads);
      const progress = "progress" in report ? report.progress : null;
      const status = report.phase === "queued" ? "queued" : "processing";
      return { task_type, status, progress, fail_reason: null, result: null };
    }
    case "success": {
      const result = resultData(task, origins);
      return { task_type, status: "completed", progress: "100%", fail_reason: null, result };
    }
    case "failure":
      return { task_type, status: "failed", progress: null, fail_reason: task.error, result: null };
    default:
      return task satisfies never;
  }
}

function resultData(task: StoredSuccess, origins: Origins): Clip[] | Lyrics {
  const { result, plan } = task;
  if (!Array.isArray(result)) return { title: result.title, text: result.text };
  const provider = `${origins.providers[task.model]}/${task.model}`;
  const { storable, alternateUrls } = plan.end;
  const alternates = storable ? withoutProviders(alternateUrls, origins) : alternateUrls;
  const { tags, lyrics, extras } = parseInput(task);
  const musicFields = ({ id, title, durationSeconds }: MadeClip) => ({
    image_url: `${provider}/art/${id}/small`,
    image_large_url: `${provider}/art/${id}/large`,
    title,
    metadata: { duration: durationSeconds, tags, prompt: lyrics, ...extras },
  });
  return result.map((clip) => ({
    id: clip.id,
    audio_url: `${storable ? origins.service : provider}/audio/${clip.id}`,
    ...(task.type === "music" && musicFields(clip)),
    ...(alternates !== null && { alternate_urls: alternates }),
  }));
}

/** Removes URLs at the providers' origins from a stored clip's alternatives; `null` if none is left. */
function withoutProviders(urls: readonly string[] | null, { providers }: Origins): string[] | null {
  const origins = [providers, inProcessOrigins().providers].flatMap((each) => Object.values(each));
  // The server of the providers may have several host names, and a port of its own.
  const ports = origins.map((origin) => new URL(origin).port).filter((port) => port !== "");
  const isProviders = ({ origin, port }: URL) => origins.includes(origin) || ports.includes(port);
  const others = (urls ?? []).filter((url) => !isProviders(new URL(url)));
  return others.length > 0 ? others : null;
}
