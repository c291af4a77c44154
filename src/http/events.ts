import type { Task } from "../contract/task.js";

/** One HTTP attempt. */
export interface AttemptEvent {
  /** The `X-Request-Id` that it bears; attempts of one call share theirs. Audio has none. */
  requestId: string | null;
  method: "GET" | "POST";
  url: string;
  /** The task that is read, where one is. */
  taskId: string | null;
}

/** What came of an attempt. */
export interface AnswerEvent extends AttemptEvent {
  /** The HTTP status; `null` where no answer came. */
  status: number | null;
  /** How long it took by the client's clock, in milliseconds. */
  durationMs: number;
  /** Requests left in the key's current window (`X-RateLimit-Remaining`), where the answer told. */
  remaining: number | null;
}

/** A request that had to wait for its turn, 50 ms or longer, so that the key is not limited, and may now leave. */
export interface WaitEvent extends Omit<AttemptEvent, "requestId" | "method" | "url"> {
  /** What it is for. */
  purpose: string;
  /** How long it waited, in milliseconds. */
  waitedMs: number;
}

/** A call that is tried again after a wait, or a task that is, whose last read has failed. */
export interface RetryEvent {
  /** Which retry it will be, from 1; of a task, counted anew after each read that came. */
  retry: number;
  /** How long is waited before it, in milliseconds; for the rate limit it may be longer. */
  waitMs: number;
  /** Why the last attempt failed. */
  error: unknown;
}

/** The service answered 429: nothing leaves with this key until then. */
export interface PauseEvent {
  /** In milliseconds. */
  forMs: number;
  until: Date;
}

/** A wait or a watch has seen that something about a task changed. */
export interface TaskEvent {
  task: Task;
}

/** What a client tells, by the name under which `client.on` listens to it. */
export interface ClientEvents {
  attempt: AttemptEvent;
  answer: AnswerEvent;
  wait: WaitEvent;
  retry: RetryEvent;
  pause: PauseEvent;
  task: TaskEvent;
}
