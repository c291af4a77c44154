import { priceOf } from "../../../src/contract/models.js";
import { findRequestViolation, type RequestRules } from "../../../src/contract/request-rules.js";
import { ENDPOINTS } from "../../../src/contract/wire.js";
import type { Account } from "../../core/accounts.js";
import type { Policy } from "../../core/policy-fields.js";
import { type Outcome, parseOutcome } from "../../core/providers.js";
import { applyTimeouts, createTask, type TaskOrder } from "../../core/transitions.js";
import { jsonAnswer } from "../answers.js";
import type { Answer, Exchange } from "../exchange.js";
import { readJsonBody } from "../json-body.js";
import { Refusal } from "../refusal.js";
import { submissionData } from "../task-data.js";
import type { Visit } from "../visit.js";
import { callerOf } from "./caller.js";

/** The header by which a request asks its provider for an outcome, and leaves its body fit for production. */
const OUTCOME_HEADER = "X-Emulator-Outcome";

/** `POST /api/v1/task`: everything is checked before anything happens. */
export function createTaskEndpoint(visit: Visit): Answer {
  const { world, exchange, now } = visit;
  const { account } = callerOf(visit);
  refuseSuspended(account);
  const order = {
    ...readOrder(readJsonBody(exchange), world.state.policy),
    outcome: readAskedOutcome(exchange),
  };

  applyTimeouts(world, account, now);
  const task = createTask(world, account, order, now);
  if (task === "insufficient_credits") {
    throw new Refusal(
      task,
      `It costs ${order.credits} credits, and ${account.ledger.available} are available`,
    );
  }
  if (task === "upstream_provider_error") {
    throw new Refusal(task, "The provider refused it; no credits are frozen");
  }
  const { status } = ENDPOINTS.createTask;
  return jsonAnswer(status, { code: status, data: submissionData(task) });
}

function refuseSuspended(account: Account): void {
  if (!account.suspended) return;
  throw new Refusal("account_suspended", "Failed to create the task: the account is suspended");
}

function readOrder(body: unknown, policy: Policy): Omit<TaskOrder, "outcome"> {
  const violation = findRequestViolation(body, rulesOf(policy));
  if (violation !== null) {
    const issues = violation.issues.map(
      ({ path, message }) => `${path === "" ? "the body" : path} ${message}`,
    );
    throw new Refusal(violation.errorCode, `Failed to create the task: ${issues.join("; ")}`);
  }
  const { model, task_type: type, input, audio_format: audioFormat } = asOrder(body);
  return {
    model,
    type,
    credits: priceOf(model, type),
    input,
    audioFormat: audioFormat ?? null,
  };
}

function rulesOf(policy: Policy): RequestRules {
  return {
    mixedFieldSets: policy.mixed_field_sets,
    nullAudioFormat: policy.null_audio_format,
    audioConversion: policy.audio_conversion !== "off",
  };
}

/** The boundary at which a body without a violation is taken for what the contract says it is. */
function asOrder(body: unknown) {
  return body as Pick<TaskOrder, "model" | "input"> & {
    task_type: TaskOrder["type"];
    audio_format?: "mp3" | null;
  };
}

function readAskedOutcome({ headers }: Exchange): Outcome | null {
  const asked = headers.get(OUTCOME_HEADER);
  if (asked === null) return null;
  try {
    return parseOutcome(JSON.parse(asked));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it can't be read";
    throw new Refusal("invalid_request_body", `Failed to read ${OUTCOME_HEADER}: ${reason}`);
  }
}
