import type { RateLimitReport, RateLimitState } from "./pacer.js";

/** The rank of a request: 0 for creates and account reads, 1 for reads of tasks, 2 for polls. */
export type Rank = 0 | 1 | 2;

/** Share of a window up to which each rank comes before the lower ones. */
export const SHARES = [0.45, 0.25, 1] as const;
/** What is reserved is released in steps no shorter than this. */
export const SHORTEST_STEP_MS = 50;

/** How long responses are awaited before as many requests again are sent. */
export const PATIENCE_MS = 2000;

/** How many polls may be sent from now until a time. */
export interface PollBudget {
  polls: number;
  now: number;
  until: number;
  /** When what is left began to be spent, and how many requests there were then. */
  from: number;
  limit: number;
}

/** What a response stated about a window. */
export interface WindowReport extends Omit<RateLimitReport, "taskId" | "unsent" | "tenant"> {
  /** The rank of a request that was not sent. */
  unsent?: Rank | undefined;
}

/**
 * What is left of a rate limit, and for which rank. There are three kinds: a fixed and a sliding window, which this process
 * knows from responses only, and the window that a fleet shares. Times are in milliseconds on the pacer's clock.
 */
export interface PacerWindow {
  /** Until when a 429 holds everything back. */
  readonly heldUntil: number;
  /** When the first request of the current window was sent. */
  readonly openedAt: number;
  /** Whether the state of the window is known. */
  isOpen(now: number): boolean;
  /** How many requests of a rank still come before the lower ones. */
  shareLeft(now: number, rank: Rank): number;
  /** Whether a request may be sent now, if this many must be left to lower ranks or to other tenants. */
  admits(now: number, rank: Rank, leave?: number): boolean;
  /** The next time at which more requests may be sent than now, if this many are left. */
  nextChange(now: number, leave?: number): number;
  /** What polls may spend of the rest of this window. */
  budget(now: number): PollBudget;
  /** A request is sent. */
  spend(now: number, rank: Rank): void;
  state(now: number): RateLimitState;
}

/** Chooses the window that applies to the requests of a key. */
export interface WindowChoice extends Pick<PacerWindow, "nextChange" | "spend"> {
  readonly current: PacerWindow;
  /** A response came, or none will. */
  report(now: number, report: WindowReport): void;
}
