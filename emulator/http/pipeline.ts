import type { Core } from "../core/core.js";
import { LARGEST_BODY_BYTES } from "../core/ranges.js";
import { controlBodyLimit } from "./control-access.js";
import { preflightResponse } from "./cors.js";
import {
  type AccessedHead,
  type Arrival,
  type HttpOutcome,
  type HttpRequest,
  isControlCall,
} from "./messages.js";
import { record } from "./record.js";
import { refusalResponse } from "./refusal.js";
import { RequestContext } from "./request-context.js";
import type { Service } from "./service.js";
import { identifyCaller, requireKey } from "./stages/caller.js";
import { delayRequest } from "./stages/delay.js";
import { failAfter, failBefore } from "./stages/fault.js";
import { rewriteForFuture } from "./stages/future.js";
import { requireRoute, runOperation } from "./stages/operation.js";
import { requireQuota } from "./stages/rate-limit.js";

/** Ends the request with an outcome, or throws a `Refusal`; otherwise the next stage follows. */
type Stage = (context: RequestContext) => HttpOutcome | undefined | Promise<HttpOutcome | undefined>;

/** In the order of the precedence of their errors. An operation has the rest of this order. */
const STAGES: readonly Stage[] = [
  delayRequest,
  identifyCaller,
  failBefore,
  requireRoute,
  requireKey,
  requireQuota,
  runOperation,
];

/** Must be called before the body is read. Control calls are not counted, since they are not requests to the service. */
export function registerArrival({ state: { counts }, generation }: Core, head: AccessedHead): Arrival {
  return isControlCall(head)
    ? { ordinal: counts.arrivals, generation, bodyLimit: controlBodyLimit(head) }
    : { ordinal: counts.arrivals++, generation, bodyLimit: LARGEST_BODY_BYTES };
}

/**
 * Handles a request: the stages, what a fault leaves of the response and a future makes of it, the log and the audit. After
 * a delay, only files are awaited, so that no other request is handled between the effect and its log entry.
 */
export async function handleRequest(
  { core, handleControlCall }: Service,
  request: HttpRequest,
): Promise<HttpOutcome> {
  if (isControlCall(request)) return handleControlCall(request);
  const preflight = preflightResponse(core.state, request);
  if (preflight !== null) return preflight;
  if (request.arrival.generation !== core.generation) return "disconnect";

  const context = new RequestContext(core, request);
  let outcome: HttpOutcome | undefined;
  try {
    for (const stage of STAGES) {
      const ended = stage(context);
      // Not `instanceof Promise`: zone.js and others replace the global one. A stage that is done costs no turn.
      outcome = typeof ended === "object" && "then" in ended ? await ended : ended;
      if (outcome !== undefined || context.isOutdated) break;
    }
  } catch (error) {
    outcome = context.complete(refusalResponse(error, context.policy));
  }
  if (outcome === undefined || context.isOutdated) return "disconnect";
  return record(context, rewriteForFuture(context, failAfter(context, outcome)));
}
