import { RateLimitedError } from "../errors/api-errors.js";
import type { Pacer } from "../rate-limit/pacer.js";
import type { Clock } from "../time/clock.js";
import { dateAt } from "../time/clock.js";
import type { Call } from "./call.js";
import { failureMessage } from "./failure-message.js";

/** The error of a call that fails unsent, while a 429 holds everything back for longer than the call may wait. */
export function heldError(
  { clock, pacer }: { clock: Clock; pacer: Pacer },
  call: Call,
  requestId: string,
): RateLimitedError {
  const now = clock.now();
  const heldForMs = (pacer.rateLimit().heldUntil ?? now) - now;
  const retryAt = dateAt(now + heldForMs);
  const reason = `rate_limited: an earlier 429 holds this key back until ${retryAt.toISOString()}. Nothing was sent`;
  return new RateLimitedError(failureMessage(call, reason, requestId), {
    status: 429,
    errorCode: "rate_limited",
    requestId,
    headers: new Headers(),
    taskId: call.taskId,
    retryAfterSeconds: Math.ceil(heldForMs / 1000),
    retryAt,
  });
}
