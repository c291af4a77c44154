import { HEADERS } from "../contract/wire.js";
import { parseDate } from "../time/clock.js";

/** The longest stated wait that is obeyed: a day. A hostile or broken server must not stop a client permanently. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * The wait that a response states, in milliseconds from now: the longest of the `Retry-After` headers (seconds, or a
 * date) and the body's `retry_after_seconds`, a day at most. `null` without a readable value.
 */
export function statedWaitMs(headers: Headers, body: unknown, now: number): number | null {
  // A header that came twice is one with a comma, as every date has too: before the two digits of its day.
  const values = (headers.get(HEADERS.retryAfter) ?? "").split(/, *(?! ?\d\d[ -])/);
  const waits = [...values.map((value) => headerWaitMs(value, headers, now)), bodyWaitMs(body)];
  const stated = waits.filter((wait): wait is number => wait !== null && !Number.isNaN(wait));
  return stated.length === 0 ? null : Math.min(LONGEST_MS, Math.max(...stated));
}

function headerWaitMs(value: string, headers: Headers, now: number): number | null {
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);

  // A date begins with the name of its day; a parser that is lenient would take "-5" for one.
  const date = /^[a-z]/i.test(value) ? parseDate(value) : null;
  if (date === null) return null;
  // A date that has passed for us may lie ahead for the server, whose clock need not agree with ours.
  return Math.max(0, date > now ? date - now : date - (parseDate(headers.get("Date")) ?? now));
}

function bodyWaitMs(body: unknown): number | null {
  const seconds = typeof body === "object" && body !== null ? Reflect.get(body, "retry_after_seconds") : null;
  return typeof seconds === "number" && seconds >= 0 ? Math.ceil(seconds * 1000) : null;
}
