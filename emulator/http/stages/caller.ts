import { HEADERS } from "../../../src/contract/service.js";
import { Refusal } from "../refusal.js";
import type { RequestContext } from "../request-context.js";

/** Finds the caller. Must run after a delay, in which the key may be disabled or deleted. */
export function identifyCaller(context: RequestContext): undefined {
  const caller = context.findKey();
  if (caller === undefined || caller.key.disabled) return;
  caller.key.lastUsedAt = context.now;
  context.caller = caller;
}

export function requireKey({ route, caller, request }: RequestContext): undefined {
  if (route?.access === "open" || caller !== null) return;
  throw request.headers.get(HEADERS.apiKey) === null
    ? new Refusal("missing_api_key", `Missing API key. Send it in the ${HEADERS.apiKey} header.`)
    : new Refusal("invalid_api_key", "The API key is unknown, deleted or disabled.");
}
