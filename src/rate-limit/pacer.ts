import type { Clock } from "../time/clock.js";

/**
 * What a request is for. While several kinds wait, creates and account reads are sent first, up to 45 % of the rate limit, then
 * reads of tasks, up to 25 %, then polls. Beyond its share, a kind comes after the others. A custom pacer may choose another order.
 */
export type RequestKind = "create" | "account" | "read" | "poll";

/** A request that waits for its admission. */
export interface PacedRequest {
  kind: RequestKind;
  /** The customer that the request belongs to. Tenants take turns; all requests without a tenant count as one more tenant. */
  tenant?: string | undefined;
  /** The task that is read. Reads of one task are sent at least a second apart. */
  taskId?: string | undefined;
  /** The earliest time at which it may be sent, in milliseconds since the epoch. */
  notBefore?: number;
  /** Of a poll: the time by which it should be sent unless the rate limit is scarce, in milliseconds since the epoch. */
  dueBy?: number;
  /** The time at which it is refused if it was not admitted, in milliseconds since the epoch. */
  notAfter?: number;
  /** The longest hold after a 429 that it waits for, in milliseconds. @defaultValue no limit */
  maxHoldMs?: number;
  /** Of a poll: what is known about its task; absent before the first reading of a task that is known by its ID only. */
  task?: WaitingTask | undefined;
  /**
   * Called when the rate limit delays the request by a second or more, with the time at which the next requests are
   * expected to be sent, in milliseconds since the epoch. Called again when that time changes. A pacer may ignore it.
   */
  onDelayed?: ((until: number) => void) | undefined;
}

/** A task that a wait or a watch polls. Tasks of one model and type are assumed to take similarly long. */
export interface WaitingTask {
  model: string;
  type: string;
  /** When it was submitted, in milliseconds since the epoch. */
  submittedAt: number;
  /** When it was last found unfinished, in milliseconds since the epoch; before its first reading, when it was submitted. */
  unfinishedAt: number;
  /**
   * In the first reading of a task that this client did not submit: the earliest time at which it could be polled, in
   * milliseconds since the epoch. It shows how old such tasks are when a wait for them begins.
   */
  resumedAt?: number | undefined;
}

/** What a response stated about the rate limit; also reported if no response came, or if nothing was sent. */
export interface RateLimitReport {
  /** The task that was read, or was to be read. The second until its next read counts from the report, not from the sending. */
  taskId?: string | undefined;
  /**
   * When the request was sent, in milliseconds since the epoch: responses may arrive in another order. Of a request that was
   * not sent: when it was admitted.
   */
  sentAt: number;
  /** `X-RateLimit-Remaining`; `null` without the header or without a response. */
  remaining: number | null;
  /** The stated wait of a 429, in milliseconds; `null` for every other response. */
  heldForMs: number | null;
  /** The kind of a request for which nothing was sent after its admission: the rate limit does not count it. */
  unsent?: RequestKind | undefined;
  /** The tenant of such a request. */
  tenant?: string | undefined;
}

/** What is known about a key's rate limit; unknown values are `null`. Times are in milliseconds since the epoch. */
export interface RateLimitState {
  /** Requests in a window. */
  limit: number | null;
  /** Requests that are left in this window, without those in flight. */
  remaining: number | null;
  /** When this window ends. */
  resetAt: number | null;
  /** Until when a 429 holds everything back. */
  heldUntil: number | null;
}

/** How much longer a task takes, by what similar tasks took. 0 means that it has most likely ended. */
export interface TaskEstimate {
  /** Half of the tasks end within this time from now, in seconds. */
  medianSeconds: number;
  /** Nine of ten tasks end within this time from now, in seconds. */
  p90Seconds: number;
}

/** Decides when each request of one key is sent. The client calls `report` once for each admitted request. */
export interface Pacer {
  /**
   * Resolves with `true` when the request may be sent, and with `false` after `notAfter`, or if a 429 holds all requests
   * back for longer than `maxHoldMs`. Rejects with the signal's reason after an abort, and with the error of the clock if
   * its `sleep` rejects.
   */
  admit(request: PacedRequest, signal?: AbortSignal): Promise<boolean>;
  /** Reports the response to an admitted request, or that there is none. */
  report(report: RateLimitReport): void;
  /** Reports what a poll has just found, so that the pacer learns how long tasks take. */
  learn(task: WaitingTask, isFinished: boolean): void;
  /**
   * How much longer a task takes, from what `learn` has shown; `null` if too little is known. Without this method,
   * `client.tasks.estimate` returns `null`.
   */
  estimate?(task: WaitingTask): TaskEstimate | null;
  /** What is known about the rate limit now. */
  rateLimit(): RateLimitState;
}

/**
 * Returns the pacer of a client, for its clock and its API key. If the client's `apiKey` is a function, `apiKey` is an empty string
 * here. `currentKey` resolves with the key of the last attempt, and calls that function before the first one: the service
 * counts the requests of each key separately.
 */
export type PacerFactory = (clock: Clock, apiKey: string, currentKey: () => Promise<string>) => Pacer;
