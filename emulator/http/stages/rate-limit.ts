import { admit, openWindow, remainingIn } from "../../core/rate-limit.js";
import { Refusal } from "../refusal.js";
import type { RequestContext } from "../request-context.js";

export function requireQuota(context: RequestContext): undefined {
  if (context.route?.access === "open") return;
  const refusal = countRequest(context);
  if (refusal !== null) throw refusal;
}

/** Counts a request in its key's window, or returns why it is refused (Limits: Rate limit). */
export function countRequest(context: RequestContext): Refusal | null {
  const { caller, policy, limits, now } = context;
  if (caller === null) return null;
  const { key } = caller;
  if (key.window?.kind !== policy.rate_limit_window) key.window = openWindow(policy.rate_limit_window, now);
  const admission = admit(key.window, limits, now);
  context.remaining = admission.admitted ? admission.remaining : 0;
  if (admission.admitted) return null;
  const { retryAfterSeconds: wait } = admission;
  return new Refusal("rate_limited", `Too many requests. Try again in ${wait} s.`, { wait });
}

/** Notes what remains, for the response to a request that is not counted. */
export function noteRemaining(context: RequestContext): void {
  const { caller, policy, limits, now } = context;
  if (caller === null) return;
  const { window } = caller.key;
  const isCurrent = window?.kind === policy.rate_limit_window;
  context.remaining = isCurrent ? remainingIn(window, limits, now) : limits.requests;
}
