import type { Clock } from "../time/clock.js";

/** What a request is for: creates and account reads go ahead of reads of tasks, and those ahead of polls. */
export type RequestKind = "create" | "account" | "read" | "poll";

/** A request that wants to leave. */
export interface PacedRequest {
  kind: RequestKind;
  /** The task that is read: reads of one task leave at least a second apart. */
  taskId?: string | undefined;
  /** The earliest time at which it may leave, in milliseconds since the epoch. */
  notBefore?: number;
  /** Of a poll: the time by which it should leave as long as the budget is not scarce, in milliseconds since the epoch. */
  dueBy?: number;
  /** The time at which it is given up, in milliseconds since the epoch. */
  notAfter?: number;
  /** For how long it stands being held back after a 429, in milliseconds; for ever where it isn't given. */
  maxHoldMs?: number;
  /** Of a poll: what is known of its task, and so of when it will be over; nothing before the first reading of a bare id. */
  task?: WaitingTask | undefined;
  /**
   * Called when the rate limit delays the request by a second or more, with the time at which the next requests are
   * expected to leave, in milliseconds since the epoch. Called again when that time changes. A pacer may ignore it.
   */
  onDelayed?: ((until: number) => void) | undefined;
}

/** A task that somebody waits for. Tasks of one model and type are believed to take alike. */
export interface WaitingTask {
  model: string;
  type: string;
  /** When it was submitted, in milliseconds since the epoch. */
  submittedAt: number;
  /** When it was last found unfinished, in milliseconds since the epoch; when it was submitted before its first reading. */
  unfinishedAt: number;
  /**
   * In the first reading of a task that this client did not submit: the earliest time at which it could be polled, in
   * milliseconds since the epoch. It shows how old such tasks are when a wait for them begins.
   */
  resumedAt?: number | undefined;
}

/** What came of a request, and what its answer said of the rate limit. */
export interface RateLimitReport {
  /** The task that was read: the second until its next read counts from here, not from when the request left. */
  taskId?: string | undefined;
  /** When the request left, in milliseconds since the epoch: answers overtake each other. */
  sentAt: number;
  /** `X-RateLimit-Remaining`; `null` where the answer had none, or none came. */
  remaining: number | null;
  /** The stated wait of a 429, in milliseconds; `null` for every other answer. */
  heldForMs: number | null;
}

/** What is known of a key's rate limit; `null` where nothing is. Times are in milliseconds since the epoch. */
export interface RateLimitState {
  /** Requests in a window. */
  limit: number | null;
  /** Requests that are left in this window, without those that are on their way. */
  remaining: number | null;
  /** When this window ends. */
  resetAt: number | null;
  /** Until when a 429 holds everything back. */
  heldUntil: number | null;
}

/** Decides when each request of one key leaves. Whoever was admitted must report back once. */
export interface Pacer {
  /**
   * Resolves with `true` when the request may leave, and with `false` when its time is over or everything is held
   * back for longer than it stands; rejects with the signal's reason when it is aborted before, and with the clock's
   * when time comes to an end.
   */
  admit(request: PacedRequest, signal?: AbortSignal): Promise<boolean>;
  /** Tells what came of an admitted request. */
  report(report: RateLimitReport): void;
  /** Tells what a reading that has just come found, so that the pacer learns how long tasks take. */
  learn(task: WaitingTask, isOver: boolean): void;
  /** What is known of the rate limit now. */
  rateLimit(): RateLimitState;
}

/** Makes the pacer of a client, by its clock and for its API key. */
export type PacerFactory = (clock: Clock, apiKey: string) => Pacer;
