import { dateAt, parseDate } from "../time/clock.js";

/** The longest time that a POST can be in flight with the default `timeoutMs`, in milliseconds. */
export const LONGEST_IN_FLIGHT_MS = 120_000;

/** The writing of the journal entry before a POST and after it, and the difference between the clocks of two machines. */
const OVERHEAD_MS = 90_000;

/**
 * The time from which the POST of an intent is certainly no longer in flight; `null` if that time has passed.
 *
 * @param timeoutMs - of the run that sent the POST, in milliseconds: the journal does not record it
 */
export function inFlightUntil({ at }: { at: string }, now: number, timeoutMs = 30_000): Date | null {
  const begunAt = parseDate(at);
  if (begunAt === null) return null;
  const until = begunAt + Math.max(LONGEST_IN_FLIGHT_MS, timeoutMs + OVERHEAD_MS);
  return until > now ? dateAt(until) : null;
}
