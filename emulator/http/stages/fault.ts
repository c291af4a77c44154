import { ERROR_STATUSES } from "../../../src/contract/service.js";
import type { Fault } from "../../core/faults.js";
import { emptyResponse, errorResponse, type HttpOutcome, type HttpResponse, halved } from "../messages.js";
import type { RequestContext } from "../request-context.js";
import { noteRemaining } from "./rate-limit.js";

/** Ends a request whose fault prevents its effect. */
export function failBefore(context: RequestContext): HttpOutcome | undefined {
  const { fault } = context;
  if (fault === null) return;
  if (fault.kind === "stall") return "stall";
  if (!("when" in fault) || fault.when !== "before") return;
  if (fault.kind === "disconnect") return "disconnect";
  noteRemaining(context);
  return faultResponse(fault, context);
}

/** What a fault leaves of the response to a request that took effect. */
export function failAfter(context: RequestContext, outcome: HttpOutcome): HttpOutcome {
  const { fault } = context;
  if (fault === null || typeof outcome === "string") return outcome;
  if (fault.kind === "malformed") return halved(outcome);
  if (!("when" in fault) || fault.when !== "after") return outcome;
  return fault.kind === "disconnect" ? "disconnect" : faultResponse(fault, context);
}

const BODILESS_STATUSES = [204, 205, 304];

function faultResponse(fault: Extract<Fault, { kind: "status" }>, context: RequestContext): HttpResponse {
  const { status } = fault;
  const [known] = Object.entries(ERROR_STATUSES).find(([, each]) => each === status) ?? [];
  const general = status >= 400 && status < 500 ? "invalid_request_body" : "internal_error";
  const isRedirect = status >= 300 && status < 400;
  const { error_code: errorCode = isRedirect ? null : (known ?? general) } = fault;
  // A 429 always has `Retry-After` (Errors).
  const { retry_after_seconds: wait = status === 429 ? 1 : undefined } = fault;
  const message = "A fault of the emulator caused this response.";
  const response = errorResponse(status, errorCode, message, { wait });
  return context.complete(BODILESS_STATUSES.includes(status) ? emptyResponse(response) : response);
}
