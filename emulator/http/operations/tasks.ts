import { sentences } from "../../../src/contract/message.js";
import { priceOf } from "../../../src/contract/prices.js";
import type { TaskSubmission } from "../../../src/contract/task.js";
import { messageOfThrown } from "../../../src/contract/thrown.js";
import type { StoredAccount } from "../../core/accounts.js";
import { parseOption } from "../../core/checks.js";
import { findTask } from "../../core/core.js";
import { findViolation } from "../../core/policy.js";
import type { Policy } from "../../core/policy-fields.js";
import { type CheckedOutcome, outcomeSchema } from "../../core/providers.js";
import { applyTimeouts, createOpenTask, readTask, type TaskOrder } from "../../core/transitions.js";
import { isoTime } from "../../time/clock.js";
import { requireJson } from "../json-body.js";
import type { HttpRequest } from "../messages.js";
import { Refusal } from "../refusal.js";
import type { RequestContext } from "../request-context.js";
import { taskBody } from "../task-data.js";

/** Its errors have the order of precedence: suspension, the body and its fields, the outcome, the credits. */
export function submitTask(context: RequestContext, account: StoredAccount): TaskSubmission {
  const { core, request, json, policy, now } = context;
  if (account.suspended)
    throw new Refusal("account_suspended", "The account is suspended and cannot create tasks.");
  const body = requireJson(request, json);
  requireValid(body, policy);
  const outcome = readOutcome(request);
  const { model, task_type: type, input, audio_format: audioFormat = null } = body;
  const credits = priceOf(model, type);
  applyTimeouts(core, account, now);
  const order = { model, type, credits, input, audioFormat, outcome };
  const { task, refusal, outcome: taskOutcome, rule } = createOpenTask(core, account, order, now);
  context.taskOutcome = taskOutcome;
  if (rule !== null) context.rules.push(rule);
  if (refusal === "insufficient_credits") {
    const { available } = account.ledger;
    throw new Refusal(refusal, `The task costs ${credits} credits, but only ${available} are available.`);
  }
  if (refusal !== null) throw new Refusal(refusal, "The provider refused the task. No credits are frozen.");
  context.created = task;
  return {
    task_id: task.id,
    type,
    status: "pending",
    credits_charged: credits,
    created_at: isoTime(task.createdAt),
    audio_format: audioFormat,
  };
}

interface ValidRequest extends Pick<TaskOrder, "model" | "input"> {
  task_type: TaskOrder["type"];
  audio_format?: TaskOrder["audioFormat"];
}

function requireValid(body: unknown, policy: Policy): asserts body is ValidRequest {
  const violation = findViolation(body, policy);
  if (violation === null) return;
  const issues = violation.issues.map(({ path, message }) => `${path || "the body"} ${message}`);
  throw new Refusal(violation.errorCode, `Invalid request: ${sentences(issues)}`);
}

/** A header with the task's outcome as JSON: the body can be the same as in production. */
export const OUTCOME_HEADER = "X-Emulator-Outcome";

function readOutcome({ headers }: HttpRequest): CheckedOutcome | null {
  const value = headers.get(OUTCOME_HEADER);
  if (value === null) return null;
  try {
    return parseOption("", outcomeSchema, JSON.parse(utf8In(value)));
  } catch (error) {
    const reason = messageOfThrown(error);
    throw new Refusal("invalid_request_body", `Invalid ${OUTCOME_HEADER} header: ${reason}`);
  }
}

/** Headers are read as Latin-1, with one letter for each byte, but clients such as curl send UTF-8. */
function utf8In(value: string): string {
  try {
    return utf8.decode(Uint8Array.from(value, (letter) => letter.charCodeAt(0)));
  } catch {
    return value;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The read that polls the provider, and settles or refunds the task. */
export function readOwnTask({ core, request, now, params }: RequestContext, account: StoredAccount): string {
  const [taskId = ""] = params;
  const found = findTask(core, taskId);
  if (found === undefined || found.accountId !== account.id)
    throw new Refusal("task_not_found", "The account has no task with this ID.");
  return taskBody(readTask(core, account, found, now), now, request.origins);
}
