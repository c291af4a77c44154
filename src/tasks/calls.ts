import type { Advice } from "../contract/message.js";
import { findRequestViolation, warningsAbout } from "../contract/request-rules.js";
import type { TaskRequest } from "../contract/requests.js";
import { resultSchemas, taskSchema, taskSubmissionSchema } from "../contract/responses.js";
import { ENDPOINTS, type ErrorCode, isTaskType } from "../contract/service.js";
import type { Task, TaskSubmission } from "../contract/task.js";
import { lowerCaseUuid } from "../contract/text.js";
import { ApiError } from "../errors/api-errors.js";
import { AsyncMusicError, InvalidRequestError, resumeAdvice } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { attempt } from "../http/attempt.js";
import { parseData, send } from "../http/call.js";
import type { ApiResponse, Call, Context, Failure, RequestOptions, Tried, Verdict } from "../http/context.js";
import {
  connectionError,
  failureParts,
  HTML,
  invalidResponse,
  judgeRead,
  responseError,
  unusableError,
} from "../http/failure.js";
import { LONGEST_ID } from "../http/ids.js";
import type { RequestKind } from "../rate-limit/pacer.js";
import { isReasonOf } from "../time/abort.js";
import { noResponseWithin } from "../time/deadline.js";

/** The deepest nesting of a request or a task, in levels: deeper values overflow the stack of code that copies them. */
const DEEPEST = 1000;

export interface Result<Data> {
  data: Data;
  response: ApiResponse;
}

/** A copy of a request, which later changes of the caller's object do not affect: as JSON, and as the value of that JSON. */
export interface SentRequest {
  body: string;
  value: TaskRequest;
}

export function serialize(
  request: unknown,
  { validateRequests, redactor }: Pick<Context, "validateRequests" | "redactor">,
): SentRequest {
  let body: string | undefined;
  try {
    body = JSON.stringify(request);
  } catch {
    // Cycles and big integers.
  }
  const refuse = (code: ErrorCode, message: string): never => {
    throw new InvalidRequestError(code, [{ path: "", message }]);
  };
  if (request === undefined) return refuse("invalid_json", "is missing");
  if (body === undefined) return refuse("invalid_json", "is not serializable as JSON");
  const value = JSON.parse(body);
  const violation = validateRequests ? findRequestViolation(value) : null;
  if (violation !== null) {
    const { errorCode, issues } = violation;
    // A message may quote the name of an unknown field.
    throw new InvalidRequestError(
      errorCode,
      issues.map(({ path, message }) => ({ path, message: redactor.text(message) })),
    );
  }
  if (nestsDeeper(value, DEEPEST))
    refuse("invalid_request_body", `must not nest deeper than ${DEEPEST} levels`);
  return { body, value };
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const part of Object.values(value)) if (nestsDeeper(part, levels - 1)) return true;
  return false;
}

export type SubmissionHooks = Pick<Call, "beforeSending" | "claim" | "onDelayed" | "inFlight">;

/** Submits a task. The POST is sent once; only a 429 is sent again, after the stated wait. */
export async function createTask(
  context: Context,
  { body, value }: SentRequest,
  options: RequestOptions,
  hooks: SubmissionHooks = {},
): Promise<Result<TaskSubmission>> {
  const { method, path } = ENDPOINTS.createTask;
  const call: Call = { method, path, kind: "create", body, purpose: "create a task", ...hooks };
  const { warn, redactor } = context;
  if (warn !== undefined)
    for (const warning of warningsAbout(value)) if (redactor.text(warning) === warning) warn(warning);
  const response = await send(context, call, options, judgeSubmission);
  const { taskId } = response;
  // Nothing can wait for a task without a usable id: report that it may exist.
  if (!isTaskId(taskId, context.redactor) || taskId.trim() === "") {
    const outcome = { kind: "received", response } as const;
    throw submissionOutcomeUnknown({ context, call, requestId: response.requestId, outcome });
  }
  const created: Call = { ...call, taskId, advice: () => createdAdvice("The task was created.", taskId) };
  // test/types/contract-schemas.test-d.ts proves the fields. The service repeats the `type` of the request.
  const data = parseData(context, created, response, taskSubmissionSchema) as TaskSubmission;
  return { data, response };
}

function createdAdvice(fact: string, taskId: string): Advice {
  return { facts: [fact], codeAdvice: [resumeAdvice(taskId)] };
}

const NOT_REPEATED = "The request was not sent again, since a task may exist: that would charge you twice.";
const COMPARE = "Compare account.usage().tasks_created before you send it again.";
const UNKNOWN_ADVICE: Advice = { facts: [NOT_REPEATED], codeAdvice: [COMPARE] };

const ABORTED = "the call was aborted after sending began";

/**
 * A POST is sent again only after a 429 that names no task: nothing was created. If a task may exist, the caller receives
 * the error, since another POST could create a second one (POST /api/v1/task).
 */
function judgeSubmission(failure: Failure): Verdict {
  const { outcome, context } = failure;
  if (outcome.kind === "aborted_before_sending")
    return { error: outcome.cause, mayResend: false, noTask: "not_sent" };
  if (outcome.kind === "never_sent")
    return { error: connectionError(failure, outcome), mayResend: false, noTask: "not_sent" };
  const response = outcome.kind === "received" && outcome.response.status < 500 ? outcome.response : null;
  if (response === null || isTaskId(response.taskId, context.redactor) || response.status === REQUEST_TIMEOUT)
    return { error: submissionOutcomeUnknown(failure), mayResend: false };
  const verdict = { error: responseError(failure, response), mayResend: response.status === 429 };
  return response.status >= 400 ? { ...verdict, noTask: "refused" } : verdict;
}

/** Request Timeout: the service does not use it, but a gateway may have forwarded the request before it gave up. */
const REQUEST_TIMEOUT = 408;

function submissionOutcomeUnknown(failure: Failure): SubmissionOutcomeUnknownError {
  const { context, call, outcome } = failure;
  const { redactor, ids } = context;
  const { status, text } = outcome.kind === "received" ? outcome.response : outcome;
  // Also from an incomplete response or an error: the caller can wait for the task that it names (POST /api/v1/task).
  const found = /"task_id"\s*:\s*"([^"\\\s]+)"/.exec(text)?.[1];
  const isSafe = isTaskId(found, redactor) && redactor.text(found) === found;
  const taskId = isSafe && ids.tasks.add(found) ? found : undefined;
  const advice = taskId && createdAdvice(`The bytes that arrived name task ${taskId}.`, taskId);
  const [reason, cause] = reasonAndCause(failure);
  const isHtml = outcome.kind === "received" && outcome.response.isHtml;
  const said = isHtml ? { ...UNKNOWN_ADVICE, advice: [HTML] } : advice;
  const known = { ...failure, reason, advice: said || undefined, status, cause, taskId };
  return outcomeUnknownError(call, redactor, known);
}

/** The error for a POST that its caller aborted while it was in flight. The run completes it. */
export function abortedInFlight(
  call: Call,
  known: { requestId: string; journalKey: string | undefined; cause: unknown },
  redactor: Redactor,
): SubmissionOutcomeUnknownError {
  const stillReceived = "`onSubmitted` and the journal still receive the task.";
  const advice = { facts: [NOT_REPEATED], codeAdvice: [stillReceived, COMPARE] };
  const cause = redactor.cause(known.cause);
  return outcomeUnknownError(call, redactor, {
    ...known,
    reason: `, since ${ABORTED}`,
    advice,
    status: null,
    cause,
  });
}

interface UnknownOutcome {
  requestId: string;
  reason: string;
  advice: Advice | undefined;
  status: number | null;
  cause: unknown;
  taskId?: string | undefined;
  journalKey?: string | undefined;
}

function outcomeUnknownError(
  call: Call,
  redactor: Redactor,
  { requestId: sentId, reason, advice = UNKNOWN_ADVICE, journalKey, status, cause, taskId }: UnknownOutcome,
): SubmissionOutcomeUnknownError {
  const requestId = redactor.text(sentId);
  const parts = failureParts(call, `the outcome is unknown${reason}`, advice);
  const request = redactor.data(JSON.parse(call.body ?? "null"));
  const details = { request, requestId, status, cause, taskId };
  return new SubmissionOutcomeUnknownError(parts, journalKey ? { ...details, journalKey } : details);
}

/** Why the outcome of a POST is unknown, and the error that caused it. */
function reasonAndCause(failure: Failure): [reason: string, cause: unknown] {
  const { context, call, outcome, requestId } = failure;
  switch (outcome.kind) {
    case "received": {
      const { response } = outcome;
      if (response.status >= 400)
        return [`, since the service returned HTTP ${response.status}`, responseError(failure, response)];
      const issues = [{ path: "data.task_id", message: "is missing or unusable" }];
      return [
        `, since the HTTP ${response.status} response is incomplete or has no usable task ID`,
        invalidResponse(context.redactor, call, requestId, issues),
      ];
    }
    case "too_large":
      return [", since the response is too large to read", unusableError(failure, outcome)];
    case "foreign": {
      const { path, message } = outcome.issue;
      const reason = `, since the response belongs to another request: its \`${path}\` ${message}`;
      return [reason, unusableError(failure, outcome)];
    }
    case "aborted":
      return [`, since ${ABORTED}`, context.redactor.cause(outcome.cause)];
    case "timed_out":
      return [`, since ${noResponseWithin(outcome.timeoutMs)}`, connectionError(failure, outcome)];
    default:
      return [", since the connection was lost before the response", connectionError(failure, outcome)];
  }
}

export function retrieveCall(
  taskId: string,
  kind: Extract<RequestKind, "read" | "poll">,
  journalKey?: string,
): Call {
  const { method, path } = ENDPOINTS.retrieveTask;
  return {
    method,
    path: path.replace("{taskId}", () => encodeURIComponent(taskId)),
    kind,
    purpose: kind === "poll" ? `wait for task ${taskId}` : `retrieve task ${taskId}`,
    taskId,
    ...(kind === "poll" ? { advice: () => ({ codeAdvice: [resumeAdvice(taskId)] }) } : {}),
    adviceIfNotFound: () => notFoundAdvice(journalKey),
  };
}

export async function retrieveTask(
  context: Context,
  taskId: string,
  options: RequestOptions,
): Promise<Result<Task>> {
  const call = retrieveCall(taskId, "read");
  const response = await send(context, call, options, judgeRead);
  // test/types/contract-schemas.test-d.ts proves that the fields are those of a `Task`, but for its result.
  const data = parseData(context, call, response, taskSchema) as Task;
  if (data.status === "success") checkResult(context, call, { data, response });
  return { data, response };
}

/** Reads a task once. The pacer has admitted the poll. */
export async function pollTask(
  context: Context,
  call: Call,
  options: RequestOptions,
): Promise<Tried<Result<Task>>> {
  const tried = await attempt(context, call, options, judgeRead);
  if (!("result" in tried)) return tried;
  const response = tried.result;
  try {
    const data = parseData(context, call, response, taskSchema) as Task;
    if (!nestsDeeper(data, DEEPEST)) return { result: { data, response } };
    const issues = [{ path: "data", message: `nests deeper than ${DEEPEST} levels` }];
    throw invalidResponse(context.redactor, call, response.requestId, issues);
  } catch (error) {
    return { error, mayResend: true };
  }
}

/** Checks the result of a task that succeeded, if its type is listed. */
export function checkResult(context: Context, call: Call, { data, response }: Result<Task>): void {
  if (!isTaskType(data.type)) return;
  const path = ["data", "output", "result"];
  const json = { data: data.output?.result ?? null };
  parseData<unknown>(context, call, { ...response, json }, resultSchemas[data.type], path);
}

function notFoundAdvice(journalKey?: string): string {
  return journalKey === undefined
    ? "Check that this is a task ID, not a clip ID, and that the key belongs to the account that submitted it."
    : `The journal names this task under ${JSON.stringify(journalKey)}: it may belong to another account, or to an ` +
        "emulator that has ended. Use the API key of that account, or another journal.";
}

/** Whether a task can be read by this id. An empty id or a dot segment names another URL, and a key must not get into one. */
function isTaskId(value: unknown, redactor: Redactor): value is string {
  if (typeof value !== "string" || value.length > LONGEST_ID) return false;
  return !/^\.{0,2}$|\p{Surrogate}/u.test(value) && !redactor.containsKey(value);
}

/**
 * The id of a task that is given by its id or as its submission, in lower case: polls and the pacer compare ids as text.
 *
 * @throws InvalidRequestError if it is unusable
 */
export function taskIdOf(task: string | TaskSubmission, redactor: Redactor): string {
  const taskId: unknown = typeof task === "string" ? task : task?.task_id;
  if (isTaskId(taskId, redactor)) return lowerCaseUuid(taskId);
  throw typeof taskId === "string" ? noTask("taskId", taskId) : noTask("task", task);
}

function noTask(path: string, got: unknown): InvalidRequestError {
  let hint = "";
  if (typeof Object(got).then === "function") hint = "; got a promise: await it first";
  else if (Object(got).audio_url !== undefined) hint = "; got a clip: pass the ID of its task";
  const message = `must be a task ID or the result of \`create\`${hint}`;
  return new InvalidRequestError("task_not_found", [{ path, message }]);
}

/** Counts the tasks that a client creates: evidence of whether a POST with an unknown outcome created one. */
export function createCount() {
  let [accepted, open, unknown] = [0, 0, 0];

  return {
    now: () => ({ accepted, open, unknown }),
    /** Counts one submission by its result. A rejection with the signal's reason means that nothing was sent. */
    async during<Submission>(sending: Promise<Submission>, signal?: AbortSignal): Promise<Submission> {
      open++;
      try {
        const submission = await sending;
        accepted++;
        return submission;
      } catch (error) {
        if (isReasonOf(signal, error)) throw error;
        if (error instanceof AsyncMusicError && error.taskId !== null) accepted++;
        else if (mayHaveCreated(error)) unknown++;
        throw error;
      } finally {
        open--;
      }
    },
  };
}

/** Whether a task may exist after this error, which names none. A redirect is no refusal by the service. */
export function mayHaveCreated(error: unknown): boolean {
  return error instanceof SubmissionOutcomeUnknownError || (error instanceof ApiError && error.status < 400);
}
