import type { Clock } from "../clock/clock.js";
import { dateAt } from "../clock/date.js";
import { RateLimitedError } from "../errors/rate-limited-error.js";
import type { Pacer } from "../pacer/pacer.js";
import type { Call } from "./call.js";
import { failureMessage } from "./failure-message.js";

/** While a 429 holds everything back for longer than a call may wait, the call fails at once: nothing is sent. */
export function refuseLongHold(
  { clock, pacer }: { clock: Clock; pacer: Pacer },
  call: Call,
  requestId: string,
  budgetMs: number,
): void {
  const now = clock.now();
  const heldForMs = pacer.heldUntil() - now;
  if (heldForMs <= budgetMs) return;
  const retryAt = dateAt(now + heldForMs);
  const reason = `rate_limited: an earlier 429 holds this key back until ${retryAt.toISOString()}. Nothing was sent`;
  throw new RateLimitedError(failureMessage(call, reason, requestId), {
    status: 429,
    errorCode: "rate_limited",
    requestId,
    headers: new Headers(),
    taskId: call.taskId,
    retryAfterSeconds: Math.ceil(heldForMs / 1000),
    retryAt,
  });
}
