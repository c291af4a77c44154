import { HEADERS } from "../contract/service.js";
import { parseDate } from "../time/date.js";
import type { ApiResponse, JsonFields } from "./outcome.js";

/** The longest stated wait that is obeyed: a day. A hostile or broken server must not stop a client permanently. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

export function responseOf(
  { status, headers }: Response,
  text: string,
  requestId: string,
  now: number,
): ApiResponse {
  const json = parseJson(text);
  const isHtml = /^\s*<(?:!doctype|html)/i.test(text);
  // A gateway may state its own limit. Each response of the service has data or an error code.
  const isOfService = (json["data"] ?? json["error_code"]) !== undefined;
  return {
    status,
    headers,
    text,
    json,
    isHtml,
    taskId: Object(json["data"]).task_id,
    // The service propagates the ID that was sent. Another ID in the response of a gateway means nothing to the service.
    requestId: (json["code"] ? headers.get(HEADERS.requestId) : "") || requestId,
    remaining: isOfService ? remainingOf(headers) : null,
    statedWaitMs: status >= 300 ? statedWaitMs(headers, json, now) : null,
    receivedAt: now,
  };
}

export function remainingOf(headers: Headers): number | null {
  const remaining = headers.get(HEADERS.rateLimitRemaining) ?? "";
  return /^\d{1,15}$/.test(remaining) ? Number(remaining) : null;
}

export function parseJson(text: string): JsonFields {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/**
 * The wait that a response states, in milliseconds from now: the longest of the `Retry-After` headers (seconds, or a
 * date) and the body's `retry_after_seconds`, a day at most. `null` without a readable value.
 */
export function statedWaitMs(headers: Headers, body: unknown, now: number): number | null {
  // Repeated headers are joined by commas. A date contains a comma as well, before the two digits of its day.
  const values = (headers.get(HEADERS.retryAfter) ?? "").split(/, *(?! ?\d\d[ -])/);
  const seconds: unknown = Object(body).retry_after_seconds;
  const inBody = typeof seconds === "number" && seconds >= 0 ? Math.ceil(seconds * 1000) : null;
  const waits = [inBody, ...values.map((value) => headerWaitMs(value, headers, now))];
  const stated = waits.filter((wait) => wait !== null);
  return stated.length === 0 ? null : Math.min(LONGEST_WAIT_MS, Math.max(...stated));
}

function headerWaitMs(value: string, headers: Headers, now: number): number | null {
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);

  // A date begins with the name of its day. `Date.parse` would accept "-5".
  const date = /^[a-z]/i.test(value) ? parseDate(value) : null;
  if (date === null) return null;
  // It counts from the server's clock, since the client's may be wrong, unless it has passed by that one.
  const byTheirs = date - (parseDate(headers.get("Date")) ?? now);
  return byTheirs >= 0 ? byTheirs : Math.max(0, date - now);
}
