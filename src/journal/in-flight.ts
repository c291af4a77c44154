import { dateAt, parseDate } from "../time/date.js";
import type { JournalFields } from "./journal.js";

/** The default `timeoutMs`, which is assumed of a run whose intent records none, in milliseconds. */
export const USUAL_TIMEOUT_MS = 30_000;

/** A POST is not sent later than this after the time in its intent, in milliseconds: journal and budget may be slow. */
export const LONGEST_UNSENT_MS = 60_000;

/** The time before a POST, and the difference between the clocks of two machines. */
const OVERHEAD_MS: number = LONGEST_UNSENT_MS + 30_000;

/** The longest time that a POST can be in flight with the default `timeoutMs`: 120 s. */
export const LONGEST_IN_FLIGHT_MS: number = USUAL_TIMEOUT_MS + OVERHEAD_MS;

/**
 * The time from which the POST of an intent is certainly no longer in flight; `null` if that time has passed.
 *
 * @param assumedTimeoutMs - of the run that sent the POST, in milliseconds, if the intent does not record it
 */
export function inFlightUntil(
  { at, timeout_ms: timeoutMs }: Pick<JournalFields, "at" | "timeout_ms">,
  now: number,
  assumedTimeoutMs = USUAL_TIMEOUT_MS,
): Date | null {
  const begunAt = parseDate(at);
  if (begunAt === null) return null;
  const until = begunAt + Math.max(USUAL_TIMEOUT_MS, timeoutMs ?? assumedTimeoutMs) + OVERHEAD_MS;
  return until > now ? dateAt(until) : null;
}
