import { LIMITS } from "../../contract/service.js";
import type { TaskEnd } from "../../rate-limit/schedule.js";

/** How many requests the service allows a key. */
export interface FleetSize {
  /** Requests per window. */
  requests: number;
  windowMs: number;
}

export interface SharedWindow {
  /** Takes one request, if at most `upTo` are taken then. The first one opens the window. */
  take(upTo: number): Promise<Taking>;
  /** Refuses all requests for this long. */
  hold(ms: number): Promise<void>;
  /** Corrects the window by what the service's responses show. */
  correct(correction: Correction): Promise<void>;
  /** Gives back a request that was taken from a window that would have lasted at most this long from now, in milliseconds. */
  giveBack(endsInMs: number): Promise<void>;
  /**
   * Reserves the next read of a task for this process, until a second after its reply is due. Resolves with 0, or with how
   * many milliseconds the last read of another process still prevents it.
   */
  reserveRead(taskId: string): Promise<number>;
  /** The response to a read of this process has come: the second until the next read counts from now. */
  noteRead(taskId: string): Promise<void>;
  /** Reports the tenants of this process. Returns those of the whole fleet; tenants of other processes have other names. */
  reportTenants(own: TenantReport): Promise<TenantReport>;
  /** Shares the ends of tasks that this process has found, and resolves with those of other processes since its last call. */
  exchangeEnds(own: readonly TaskEnd[]): Promise<readonly TaskEnd[]>;
}

/** What tenants do; `""` for requests without a tenant. */
export interface TenantReport {
  /** How many tasks of each tenant wait. */
  waiting: ReadonlyMap<string, number>;
  /** How many requests of each tenant were sent in about the last window. */
  used: ReadonlyMap<string, number>;
}

export interface Taking {
  isTaken: boolean;
  /** A 429 pauses the fleet. */
  isHeld: boolean;
  /** Requests taken from the window, including this one. */
  taken: number;
  /** Remaining length of the window or the pause. */
  endsInMs: number;
}

export interface Correction {
  /** At least this many are taken: other programs may use the key. */
  taken: number;
  /** The window lasts at least this long from now. */
  lastsMs: number;
  /** The window would have lasted at most this long from now: the correction does not apply to a later one. */
  endsInMs: number;
}

/**
 * How long a request may take until the service counts it. The service's window begins when the first one arrives, so the
 * fleet's window lasts this much longer, and nothing is sent in the same time before its end.
 */
export function marginOf({ windowMs }: FleetSize): number {
  return Math.min(1000, windowMs / 4);
}

const READ_GAP_MS = LIMITS.shortestPollIntervalMs;
/** The longest time until the shared window replies; after that it is unavailable. */
export const REPLY_LASTS_MS = 2000;
/** How long the read of a task prevents those of other processes: until its response comes, and after it. */
export const READ_LASTS_MS = { inFlight: READ_GAP_MS + REPLY_LASTS_MS, received: READ_GAP_MS } as const;
