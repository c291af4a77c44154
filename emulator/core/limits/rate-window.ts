import type { Limits } from "./limits.js";

/** What a key has used of its limit. `policy.rate_limit_window` says which kind counts. */
export type RateWindow = FixedWindow | SlidingWindow;

/** A window that began with a request, and ends at once when its time is over. */
interface FixedWindow {
  kind: "fixed";
  startedAt: number;
  used: number;
}

/** A window that always reaches back from now. */
interface SlidingWindow {
  kind: "sliding";
  /** The times of the requests that may still count, oldest first. */
  admittedAt: number[];
}

/** Whether a request may pass, and what its key has left afterwards. */
export type Admission =
  | { admitted: true; remaining: number }
  | { admitted: false; retryAfterSeconds: number };

/**
 * Counts a request in its key's window. One that is refused does not count (Limits: Rate limit). The window is what it
 * was, moved on to `now`.
 */
export function admit(window: RateWindow, { requests, windowSeconds }: Limits, now: number): Admission {
  const lengthMs = windowSeconds * 1000;
  forget(window, lengthMs, now);
  const used = countUsed(window);
  if (used < requests) {
    count(window, now);
    return { admitted: true, remaining: requests - used - 1 };
  }
  const freeAt = window.kind === "fixed" ? window.startedAt : (window.admittedAt[used - requests] ?? now);
  return { admitted: false, retryAfterSeconds: Math.ceil((freeAt + lengthMs - now) / 1000) };
}

/** What a key has left now. */
export function remainingIn(window: RateWindow, { requests, windowSeconds }: Limits, now: number): number {
  const copy = structuredClone(window);
  forget(copy, windowSeconds * 1000, now);
  return Math.max(requests - countUsed(copy), 0);
}

/** A window in which nothing is used yet. */
export function openWindow(kind: RateWindow["kind"], now: number): RateWindow {
  return kind === "fixed" ? { kind, startedAt: now, used: 0 } : { kind, admittedAt: [] };
}

/** Lets go of what the window has left behind: it ends exactly its length after what began it. */
function forget(window: RateWindow, lengthMs: number, now: number): void {
  if (window.kind === "fixed") {
    if (now < window.startedAt + lengthMs) return;
    window.startedAt = now;
    window.used = 0;
    return;
  }
  const kept = window.admittedAt.findIndex((at) => at + lengthMs > now);
  window.admittedAt.splice(0, kept === -1 ? window.admittedAt.length : kept);
}

function countUsed(window: RateWindow): number {
  return window.kind === "fixed" ? window.used : window.admittedAt.length;
}

function count(window: RateWindow, now: number): void {
  if (window.kind === "fixed") window.used++;
  else window.admittedAt.push(now);
}
