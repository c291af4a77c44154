import { HEADERS } from "../../../src/contract/service.js";
import { UnknownIdError } from "../../core/checks.js";
import type { Core } from "../../core/core.js";
import { BillingIncompleteError } from "../../core/payments/invoices.js";
import type { HttpRequest, HttpResponse } from "../../http/messages.js";
import { emptyResponse, jsonResponse, Refusal, refuse, withoutBody } from "../../http/messages.js";
import type { Emulator } from "../emulator.js";
import { CALLS } from "./calls.js";
import { findCall } from "./find-call.js";
import { refuseForeigners } from "./gate.js";
import { readControlBody } from "./read-control-body.js";

/** One call of the control plane, from its arrival to its answer. It needs no key, and leaves no trace of its own. */
export async function answerControl(
  emulator: Emulator,
  core: Core,
  request: HttpRequest,
  requestId: string,
): Promise<HttpResponse> {
  const response = await carryOut(emulator, core, request).catch((error: unknown) =>
    refuse(refusalOf(error), core.state.policy),
  );
  response.headers[HEADERS.requestId] = requestId;
  response.headers["X-Emulator"] = "async-music";
  return request.method === "HEAD" ? withoutBody(response) : response;
}

async function carryOut(emulator: Emulator, core: Core, request: HttpRequest): Promise<HttpResponse> {
  refuseForeigners(request);
  const { call, params } = findCall(CALLS, request);
  const body = readControlBody(request, call);
  const answered = await call.carryOut({ emulator, core, request, params, body });
  if (isResponse(answered)) return answered;
  const answer = jsonResponse(call.status, answered ?? null);
  return answered === undefined ? emptyResponse(answer) : answer;
}

/** What the emulator's own methods throw, in the words of HTTP; anything else is a fault of ours, and goes on. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof BillingIncompleteError) return new Refusal("billing_incomplete", error.message);
  if (error instanceof UnknownIdError) return new Refusal("not_found", error.message);
  if (error instanceof RangeError) return new Refusal("invalid_request_body", error.message);
  throw error;
}

function isResponse(answered: unknown): answered is HttpResponse {
  return (
    typeof answered === "object" && answered !== null && "errorCode" in answered && "headers" in answered
  );
}
