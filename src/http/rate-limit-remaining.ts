import { HEADERS } from "../contract/wire.js";

/** `X-RateLimit-Remaining` as a number; `null` where it is absent or no number. */
export function rateLimitRemaining(headers: Headers): number | null {
  const value = headers.get(HEADERS.rateLimitRemaining);
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
