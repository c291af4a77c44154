import { admit, openWindow, type RateWindow } from "../../emulator/core/rate-limit.js";
import { LIMITS } from "../../src/contract/service.js";
import type { VirtualTime } from "./virtual-time.js";

/** The rate limit of one key. */
export interface Limit {
  requests: number;
  windowMs: number;
  kind: "fixed" | "sliding";
}

export const USUAL_LIMIT: Limit = { requests: 120, windowMs: 60_000, kind: "fixed" };

/** A task as the service records it. Times are in milliseconds since the epoch. */
export interface ServiceTask {
  id: string;
  createdAt: number;
  /** When it ends by itself; `Infinity` if it never does. */
  endsAt: number;
  reads: number;
  /** The read that found it finished, if any. */
  foundAt: number | null;
  /** It had succeeded, but was first read after the service's task timeout. */
  isLost: boolean;
}

/**
 * A model of the service, as a `fetch`: the emulator's own rate limit, a delay each way, and tasks that end after the
 * durations they are given. The prompt of a create is the number of its ticket.
 */
export class Service {
  /** Requests refused with 429. */
  refused = 0;
  readonly #time: VirtualTime;
  readonly #limit: Limit;
  readonly #window: RateWindow;
  readonly #latencyMs: () => number;
  readonly #onCreate: (ticket: number) => ServiceTask;
  readonly #tasks = new Map<string, ServiceTask>();

  constructor(
    time: VirtualTime,
    limit: Limit,
    latencyMs: () => number,
    onCreate: (ticket: number) => ServiceTask,
  ) {
    this.#time = time;
    this.#limit = limit;
    this.#window = openWindow(limit.kind, Number.NEGATIVE_INFINITY);
    this.#latencyMs = latencyMs;
    this.#onCreate = onCreate;
  }

  /** Starts a task whose number is its ID. */
  begin(ticket: number, durationSeconds: number): ServiceTask {
    const createdAt = this.#time.now();
    const id = `00000000-0000-4000-8000-${String(ticket).padStart(12, "0")}`;
    const endsAt = createdAt + durationSeconds * 1000;
    const task = { id, createdAt, endsAt, reads: 0, foundAt: null, isLost: false };
    this.#tasks.set(id, task);
    return task;
  }

  /** Counts a request against the limit: what remains, or how long to wait. */
  count(): { remaining: number } | { retryAfterSeconds: number } {
    const { requests, windowMs } = this.#limit;
    const admission = admit(this.#window, { requests, windowSeconds: windowMs / 1000 }, this.#time.now());
    return admission.admitted ? { remaining: admission.remaining } : admission;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const body = request.method === "POST" ? await request.text() : "";
    await this.#time.sleep(this.#latencyMs());
    const response = this.#respond(request, body);
    await this.#time.sleep(this.#latencyMs());
    return response;
  };

  #respond(request: Request, body: string): Response {
    const counted = this.count();
    const requestId = request.headers.get("X-Request-Id") ?? "";
    if ("retryAfterSeconds" in counted) {
      this.refused++;
      const { retryAfterSeconds } = counted;
      const error = { error_code: "rate_limited", error: "", retry_after_seconds: retryAfterSeconds };
      const headers = { "X-Request-Id": requestId, "Retry-After": String(retryAfterSeconds) };
      return Response.json({ ...error, request_id: requestId }, { status: 429, headers });
    }
    const headers = { "X-Request-Id": requestId, "X-RateLimit-Remaining": String(counted.remaining) };
    if (request.method === "POST") return Response.json({ data: this.#create(body) }, { headers });
    const task = this.#tasks.get(request.url.slice(request.url.lastIndexOf("/") + 1));
    if (task === undefined) throw new Error(`Invariant: ${request.url} names a task.`);
    return Response.json({ data: this.#read(task) }, { headers });
  }

  #create(body: string) {
    const task = this.#onCreate(Number(JSON.parse(body).input.gpt_description_prompt));
    return {
      task_id: task.id,
      type: "music",
      status: "pending",
      credits_charged: 10,
      created_at: new Date(task.createdAt).toISOString(),
      audio_format: null,
    };
  }

  #read(task: ServiceTask) {
    const isOver = isFound(task, this.#time.now());
    return {
      task_id: task.id,
      model: "provider_a",
      type: "music",
      status: isOver ? "success" : "running",
      credits_cost: 10,
      input: {},
      audio_format: null,
      output: isOver ? { task_type: "music", status: "completed", progress: "100%", result: [] } : null,
      error: null,
      error_code: null,
      retryable: null,
      retry_after_seconds: null,
      created_at: new Date(task.createdAt).toISOString(),
      completed_at: isOver ? new Date(overAt(task)).toISOString() : null,
    };
  }
}

/** Returns whether a task has ended. The service settles it at the first read after its end. */
function isFound(task: ServiceTask, now: number): boolean {
  task.reads++;
  const isTooOld = now - task.createdAt > LIMITS.taskTimeoutMs;
  if (now < task.endsAt && !isTooOld) return false;
  if (task.foundAt === null) {
    task.foundAt = now;
    task.isLost = isTooOld && task.endsAt <= task.createdAt + LIMITS.taskTimeoutMs;
  }
  return true;
}

/** When a task ends, by itself or by the service's task timeout. */
export function overAt({ createdAt, endsAt }: ServiceTask): number {
  return Math.min(endsAt, createdAt + LIMITS.taskTimeoutMs);
}
