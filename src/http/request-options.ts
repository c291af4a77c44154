import { isSafeRequestId } from "../contract/wire.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import type { RequestOptions } from "./call.js";

/** The names of a request's options. */
export const REQUEST_OPTIONS = {
  signal: true,
  timeoutMs: true,
  maxRetries: true,
  requestId: true,
  headers: true,
} as const satisfies Record<keyof RequestOptions, true>;

/** The longest time that a timer can be set to, in milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Checks the options of one request and answers the limits among them that were given. */
export function checkRequestOptions(options: RequestOptions): { timeoutMs?: number; maxRetries?: number } {
  const { timeoutMs, maxRetries, requestId, signal, headers } = options;
  if (requestId !== undefined && !(typeof requestId === "string" && isSafeRequestId(requestId))) {
    throw new InvalidOptionError(
      "requestId",
      "be 1 to 128 of the characters A-Z a-z 0-9 . _ : -",
      shown(requestId),
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError("signal", "be an AbortSignal", shown(signal));
  }
  if (headers !== undefined && !canBeHeaders(headers)) {
    throw new InvalidOptionError("headers", "be an object of valid header names and values");
  }
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs: checkTimeoutMs(timeoutMs) }),
    ...(maxRetries === undefined ? {} : { maxRetries: checkMaxRetries(maxRetries) }),
  };
}

export function checkTimeoutMs(value: number): number {
  if (typeof value === "number" && value > 0 && value <= LONGEST_TIMEOUT_MS) return value;
  throw new InvalidOptionError(
    "timeoutMs",
    `be above 0 and at most ${LONGEST_TIMEOUT_MS} milliseconds`,
    shown(value),
  );
}

export function checkMaxRetries(value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidOptionError("maxRetries", "be a whole number, 0 or more", shown(value));
}

function canBeHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}
