import { dateAt, parseDate } from "../time/clock.js";

/**
 * The longest time that a POST can be in flight, in milliseconds: its `timeoutMs`, the writing of the journal entry before it
 * and after it, and the difference between the clocks of two machines.
 */
export const LONGEST_IN_FLIGHT_MS = 120_000;

/** The time from which the POST of an intent is certainly no longer in flight; `null` if that time has passed. */
export function inFlightUntil({ at }: { at: string }, now: number): Date | null {
  const begunAt = parseDate(at);
  const isYoung = begunAt !== null && begunAt + LONGEST_IN_FLIGHT_MS > now;
  return isYoung ? dateAt(begunAt + LONGEST_IN_FLIGHT_MS) : null;
}
