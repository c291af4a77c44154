import { HEADERS } from "../../src/contract/wire.js";
import { admit, openWindow, remainingIn } from "../core/rate-limit.js";
import { callerOf } from "./endpoints/caller.js";
import { Refusal } from "./refusal.js";
import type { Caller, Visit } from "./visit.js";

/** Whose key was sent, if it is a valid one. */
export function findCaller({ world, exchange }: Visit): Caller | null {
  const value = exchange.headers.get(HEADERS.apiKey);
  const caller = value === null ? undefined : world.index.keys.get(value);
  return caller === undefined || caller.key.disabled ? null : caller;
}

/** Lets in who has a valid key (Authentication, 3). */
export function authenticate(visit: Visit): void {
  visit.caller = findCaller(visit);
  if (visit.caller !== null) return;
  if (visit.exchange.headers.get(HEADERS.apiKey) === null) {
    throw new Refusal("missing_api_key", `Failed to authenticate: the header ${HEADERS.apiKey} is missing`);
  }
  throw new Refusal("invalid_api_key", "Failed to authenticate: the API key is unknown, deleted or disabled");
}

/** Counts the request in the window of its key, or refuses it (Limits: Rate limit). */
export function countRequest(visit: Visit): void {
  const { world, now } = visit;
  const { key } = callerOf(visit);
  const { policy, limits } = world.state;
  if (key.window?.kind !== policy.rate_limit_window) key.window = openWindow(policy.rate_limit_window, now);

  const admission = admit(key.window, limits, now);
  visit.remaining = admission.admitted ? admission.remaining : 0;
  if (admission.admitted) return;
  const { retryAfterSeconds } = admission;
  throw new Refusal("rate_limited", `Too many requests: try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}

/** Says what a valid key has left, and counts nothing. */
export function showRemaining(visit: Visit): void {
  const { policy, limits } = visit.world.state;
  const window = findCaller(visit)?.key.window;
  if (window === undefined) return;
  const isCurrent = window?.kind === policy.rate_limit_window;
  visit.remaining = isCurrent ? remainingIn(window, limits, visit.now) : limits.requests;
}
