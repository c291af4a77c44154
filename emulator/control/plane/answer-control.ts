import { HEADERS } from "../../../src/contract/wire.js";
import { UnknownIdError } from "../../core/checks.js";
import type { Core } from "../../core/core.js";
import { BillingIncompleteError } from "../../core/payments/invoices.js";
import { bodiless, jsonAnswer, withoutBody } from "../../http/answers.js";
import type { Answer, Exchange } from "../../http/exchange.js";
import { Refusal, refusalAnswer } from "../../http/refusal.js";
import type { Emulator } from "../emulator.js";
import { CALLS } from "./calls.js";
import { findCall } from "./find-call.js";
import { refuseForeigners } from "./gate.js";
import { readControlBody } from "./read-control-body.js";

/** One call of the control plane, from its arrival to its answer. It needs no key, and leaves no trace of its own. */
export async function answerControl(
  emulator: Emulator,
  core: Core,
  exchange: Exchange,
  requestId: string,
): Promise<Answer> {
  const answer = await carryOut(emulator, core, exchange).catch((error: unknown) =>
    refusalAnswer(refusalOf(error), core.state.policy),
  );
  answer.headers[HEADERS.requestId] = requestId;
  answer.headers["X-Emulator"] = "async-music";
  return exchange.method === "HEAD" ? withoutBody(answer) : answer;
}

async function carryOut(emulator: Emulator, core: Core, exchange: Exchange): Promise<Answer> {
  refuseForeigners(exchange);
  const { call, params } = findCall(CALLS, exchange);
  const body = readControlBody(exchange, call);
  const answered = await call.carryOut({ emulator, core, exchange, params, body });
  if (isAnswer(answered)) return answered;
  const answer = jsonAnswer(call.status, answered ?? null);
  return answered === undefined ? bodiless(answer) : answer;
}

/** What the emulator's own methods throw, in the words of HTTP; anything else is a fault of ours, and goes on. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof BillingIncompleteError) return new Refusal("billing_incomplete", error.message);
  if (error instanceof UnknownIdError) return new Refusal("not_found", error.message);
  if (error instanceof RangeError) return new Refusal("invalid_request_body", error.message);
  throw error;
}

function isAnswer(answered: unknown): answered is Answer {
  return (
    typeof answered === "object" && answered !== null && "errorCode" in answered && "headers" in answered
  );
}
