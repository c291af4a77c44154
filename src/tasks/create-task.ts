import type { Advice } from "../contract/message.js";
import { warningsAbout } from "../contract/request-rules.js";
import { taskSubmissionSchema } from "../contract/responses.js";
import { ENDPOINTS, isTaskType } from "../contract/service.js";
import type { TaskSubmission } from "../contract/task.js";
import { ServerError } from "../errors/api-errors.js";
import { resumeAdvice } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import type { Call, Context } from "../http/context.js";
import {
  connectionError,
  failureParts,
  htmlAdvice,
  invalidResponse,
  judgeRead,
  responseError,
} from "../http/failure.js";
import type { Failure, Result, Verdict } from "../http/outcome.js";
import { parseData } from "../http/parse-data.js";
import { send } from "../http/send.js";
import { noResponseWithin } from "../time/deadline.js";
import type { CreateOptions, RunOptions } from "./options.js";
import type { SentRequest } from "./sent-request.js";
import { isTaskId } from "./task-id.js";

/** What happens around each attempt of a submission: see `Call`. */
export type SubmissionHooks = Pick<Call, "beforeSending" | "claim" | "onDelayed" | "inFlight">;

/** The options of a create, and the key of the order if a journal has it. */
export type SubmitOptions = CreateOptions & Pick<RunOptions, "journalKey">;

/** Submits a task. The POST is sent once; only a 429 is sent again, after the stated wait. */
export async function createTask(
  context: Context,
  { body, value }: SentRequest,
  options: SubmitOptions,
  hooks: SubmissionHooks = {},
): Promise<Result<TaskSubmission>> {
  const { method, path } = ENDPOINTS.createTask;
  const { tenant, journalKey } = options;
  const purpose = "create a task";
  const call: Call = { method, path, kind: "create", tenant, journalKey, body, purpose, ...hooks };
  const { warn, redactor } = context;
  if (warn !== undefined)
    for (const warning of warningsAbout(value)) if (redactor.text(warning) === warning) warn(warning);
  const response = await send(context, call, options, judgeSubmission);
  const { taskId } = response;
  // Nothing can wait for a task without a usable ID: report that it may exist.
  if (!isTaskId(taskId, context.redactor)) {
    const outcome = { kind: "received", response } as const;
    throw submissionOutcomeUnknown({ context, call, requestId: response.requestId, outcome });
  }
  const created: Call = { ...call, taskId, advice: () => adviceOn(call, "The task was created.", taskId) };
  // test/types/contract-schemas.test-d.ts proves the fields.
  const data = parseData(context, created, response, taskSubmissionSchema) as TaskSubmission;
  const requested: unknown = Object(value).task_type;
  if (isTaskType(requested) && isTaskType(data.type) && data.type !== requested) {
    const issues = [{ path: "data.type", message: "is not the requested task type" }];
    throw invalidResponse({ ...response, context, call: created }, issues);
  }
  return { data, response };
}

function adviceOn({ journalKey }: Call, fact: string, taskId?: string): Advice {
  return { facts: [fact], ...resumeAdvice(journalKey, taskId) };
}

const NOT_REPEATED = "The request was not sent again, since a task may exist.";
const STILL_RECEIVED = " `onSubmitted` and the event `submission` still receive the task.";

/**
 * A POST is sent again only after a 429 that names no task: nothing was created. If a task may exist, the caller receives
 * the error, since another POST could create a second one (POST /api/v1/task).
 */
function judgeSubmission(failure: Failure): Verdict {
  const { outcome, context } = failure;
  if (outcome.kind === "aborted_before_sending" || outcome.kind === "never_sent")
    return { ...judgeRead(failure), mayResend: false, noTask: "not_sent" };
  const response = outcome.kind === "received" && outcome.response.status < 500 ? outcome.response : null;
  const error = response && responseError(failure, response);
  // The code of a 5xx counts as one, whatever the status.
  if (
    response === null ||
    error instanceof ServerError ||
    response.status === REQUEST_TIMEOUT ||
    isTaskId(response.taskId, context.redactor)
  )
    return { error: submissionOutcomeUnknown(failure), mayResend: false };
  const verdict = { error, mayResend: response.status === 429 };
  return response.status >= 400 ? { ...verdict, noTask: "refused" } : verdict;
}

/** Request Timeout: the service does not use it, but a gateway may have forwarded the request before it gave up. */
const REQUEST_TIMEOUT = 408;

/** The part of an outcome that may name a task: only a response that was read whole has a `taskId`. */
interface Named {
  status: number | null;
  text: string;
  taskId?: unknown;
}

/** The task ID of a body that is cut. Nothing may be nested before `data`: it could repeat a request, or name other tasks. */
const NAMED = /^\s*\{[^{}]*"data"\s*:\s*\{[^{}]*"task_id"\s*:\s*"([^"\\\s]+)"/;

function submissionOutcomeUnknown(failure: Failure): SubmissionOutcomeUnknownError {
  const { context, call, outcome } = failure;
  const { redactor, ids } = context;
  const {
    status,
    text,
    taskId: found = NAMED.exec(text)?.[1],
  }: Named = outcome.kind === "received" ? outcome.response : outcome;
  // Also from an incomplete response or an error: the caller can wait for the task that it names (POST /api/v1/task).
  const isSafe = isTaskId(found, redactor) && redactor.text(found) === found;
  const taskId = isSafe && ids.tasks.add(found) ? found : undefined;
  const [reason, cause] = reasonAndCause(failure);
  const isHtml = outcome.kind === "received" && outcome.response.isHtml;
  let fact = taskId === undefined ? NOT_REPEATED : `The bytes that arrived name task ${taskId}.`;
  if (outcome.kind === "aborted" && call.inFlight) fact += STILL_RECEIVED;
  const advice: Advice = {
    ...adviceOn(call, fact, taskId),
    advice: isHtml ? [htmlAdvice(outcome.response.status)] : [],
  };
  const request = redactor.data(JSON.parse(call.body ?? "null"));
  return new SubmissionOutcomeUnknownError(failureParts(call, `the outcome is unknown${reason}`, advice), {
    request,
    requestId: redactor.text(failure.requestId),
    status,
    cause,
    taskId,
    journalKey: call.journalKey,
  });
}

/** The error for a POST that its caller aborted while it was in flight. The run completes it. */
export function abortedInFlight(
  context: Failure["context"],
  call: Call,
  requestId: string,
  cause: unknown,
): SubmissionOutcomeUnknownError {
  const outcome = {
    kind: "aborted",
    cause,
    url: "",
    timeoutMs: 0,
    status: null,
    remaining: null,
    text: "",
  } as const;
  return submissionOutcomeUnknown({ context, call, requestId, outcome });
}

/** Why the outcome of a POST is unknown, and the error that caused it. */
function reasonAndCause(failure: Failure): [reason: string, cause: unknown] {
  const { context, outcome } = failure;
  switch (outcome.kind) {
    case "received": {
      const { response } = outcome;
      if (response.status >= 300)
        return [`, since the service returned HTTP ${response.status}`, responseError(failure, response)];
      const issues = [{ path: "data.task_id", message: "is missing or unusable" }];
      return [
        `, since the HTTP ${response.status} response is incomplete or has no usable task ID`,
        invalidResponse(failure, issues),
      ];
    }
    case "too_large":
      return [", since the response is too large to read", invalidResponse(failure, [outcome.issue])];
    case "foreign": {
      const { path, message } = outcome.issue;
      const reason = `, since the response belongs to another request: its \`${path}\` ${message}`;
      return [reason, invalidResponse(failure, [outcome.issue])];
    }
    case "aborted":
      return [", since the call was aborted after sending began", context.redactor.cause(outcome.cause)];
    case "timed_out":
      return [`, since ${noResponseWithin(outcome.timeoutMs)}`, connectionError(failure, outcome)];
    default:
      return [", since no readable response came", connectionError(failure, outcome)];
  }
}
