import * as z from "zod/mini";
import { LIMITS } from "../../src/contract/service.js";
import {
  count,
  list,
  numberBetween,
  objectOf,
  parseOption,
  text,
  time,
  unionBy,
  wholeNumber,
} from "./checks.js";
import { RANGES } from "./ranges.js";

/** The rate limit of every key. */
export interface Limits {
  /** Requests in one window, at least 1. @defaultValue 120 */
  requests: number;
  /** The length of a window, in seconds. @defaultValue 60 */
  windowSeconds: number;
}

/** One limit, or both. One that is `undefined` counts as omitted. */
export type LimitsChanges = { [Name in keyof Limits]?: Limits[Name] | undefined };

export const DEFAULT_LIMITS: Limits = {
  requests: LIMITS.requestsPerWindow,
  windowSeconds: LIMITS.windowMs / 1000,
};

export const limitsSchema = objectOf({
  requests: wholeNumber(...RANGES.requests),
  windowSeconds: numberBetween(...RANGES.window_seconds),
});

/**
 * The limits with some of them changed.
 *
 * @throws RangeError that names the invalid limit
 */
export function mergeLimits(limits: Limits, changes: unknown): Limits {
  const { requests, windowSeconds } = parseOption("limits", z.partial(limitsSchema), changes);
  return { requests: requests ?? limits.requests, windowSeconds: windowSeconds ?? limits.windowSeconds };
}

/**
 * Changes the limits of an account, which then keeps them, or those for all.
 *
 * @throws RangeError that names the invalid limit; nothing is then changed.
 */
export function changeLimits(
  account: { limits?: Limits | undefined } | null,
  shared: { limits: Limits },
  changes: unknown,
): Limits {
  const limits = mergeLimits(account?.limits ?? shared.limits, changes);
  (account ?? shared).limits = limits;
  return limits;
}

export const limitsJsonSchema = objectOf({
  requests: limitsSchema.shape.requests,
  window_seconds: limitsSchema.shape.windowSeconds,
});
export const limitsChangesSchema = z.partial(limitsJsonSchema);
export const scopedLimitsChangesSchema = z.partial(objectOf({ ...limitsJsonSchema.shape, account_id: text }));

export function limitsJson({ requests, windowSeconds }: Limits): z.output<typeof limitsJsonSchema> {
  return { requests, window_seconds: windowSeconds };
}

export function limitsFromJson({
  window_seconds: windowSeconds,
  ...limits
}: z.output<typeof limitsChangesSchema>) {
  return { ...limits, ...(windowSeconds !== undefined && { windowSeconds }) };
}

/** The requests of one key that count. A fixed window begins with a request; a sliding one always ends now. */
export type RateWindow = z.output<typeof rateWindowSchema>;
export const rateWindowSchema = unionBy("kind", [
  objectOf({ kind: z.literal("fixed"), startedAt: time, used: count }),
  /** The times of requests that may still count, oldest first. */
  objectOf({ kind: z.literal("sliding"), admittedAt: list(time) }),
]);

export function openWindow(kind: RateWindow["kind"], now: number): RateWindow {
  return kind === "fixed" ? { kind, startedAt: now, used: 0 } : { kind, admittedAt: [] };
}

/** Counts a request in its key's window. A refused request does not count (Limits: Rate limit). */
export function admit(window: RateWindow, limits: Limits, now: number) {
  const lengthMs = limits.windowSeconds * 1000;
  const used = countUsed(window, lengthMs, now);
  if (used >= limits.requests) {
    const freeAt =
      window.kind === "fixed" ? window.startedAt : (window.admittedAt[used - limits.requests] ?? now);
    return { admitted: false as const, retryAfterSeconds: Math.ceil((freeAt + lengthMs - now) / 1000) };
  }
  if (window.kind === "fixed") window.used++;
  else window.admittedAt.push(now);
  return { admitted: true as const, remaining: limits.requests - used - 1 };
}

/** How many more requests the key may send now. Counts none. */
export function remainingIn(window: RateWindow, { requests, windowSeconds }: Limits, now: number): number {
  return Math.max(requests - countUsed(structuredClone(window), windowSeconds * 1000, now), 0);
}

/** When the window ends, or for a sliding one, when its oldest request no longer counts. `null` if no request counts. */
export function windowEnd(window: RateWindow | null, windowSeconds: number, now: number): number | null {
  if (window === null) return null;
  const ends = window.kind === "fixed" ? [window.startedAt] : window.admittedAt;
  return ends.map((at) => at + windowSeconds * 1000).find((at) => at > now) ?? null;
}

/** Drops the requests that no longer count, and returns how many still do. The end of a window is exclusive. */
function countUsed(window: RateWindow, lengthMs: number, now: number): number {
  if (window.kind === "fixed") {
    if (now >= window.startedAt + lengthMs) {
      window.startedAt = now;
      window.used = 0;
    }
    return window.used;
  }
  const first = window.admittedAt.findIndex((at) => at + lengthMs > now);
  window.admittedAt.splice(0, first === -1 ? window.admittedAt.length : first);
  return window.admittedAt.length;
}
