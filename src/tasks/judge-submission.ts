import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import type { Call } from "../http/call.js";
import type { Outcome } from "../http/exchange.js";
import { failureMessage } from "../http/failure-message.js";
import { invalidResponse } from "../http/parse-answer.js";
import { parseJson } from "../http/parse-json.js";
import type { Redactor } from "../http/redactor.js";
import {
  answerError,
  connectionError,
  type Failure,
  isUnusable,
  unusableError,
  type Verdict,
} from "../http/verdict.js";
import { isTaskId, resumeAdvice } from "./calls.js";

const UNKNOWN_ADVICE =
  "It was not sent again, since that could pay twice: a task may have been created and its credits frozen. Compare " +
  "account.usage().tasks_created before you send it yourself.";

const ABORTED = "the outcome is unknown, since it was aborted after sending had begun";

/**
 * A POST is sent again only after a 429, which certainly created nothing. Whatever else leaves its outcome in doubt
 * is said to the caller: sending it again could pay twice (POST /api/v1/task).
 */
export function judgeSubmission(failure: Failure): Verdict {
  const { outcome } = failure;
  if (outcome.kind === "aborted_before_sending") return { error: outcome.cause, mayResend: false };
  if (outcome.kind === "never_left") return { error: connectionError(failure, outcome), mayResend: false };
  if (outcome.kind !== "answered" || outcome.answer.status >= 500) {
    return { error: submissionOutcomeUnknown(failure), mayResend: false };
  }
  return { error: answerError(failure, outcome), mayResend: outcome.answer.status === 429 };
}

/** The error for a POST of which nobody can tell whether it created a task. */
export function submissionOutcomeUnknown(failure: Failure): SubmissionOutcomeUnknownError {
  const { call, outcome, redactor, ids } = failure;
  const requestId = redactor.text(failure.requestId);
  const { status, text } = outcome.kind === "answered" ? outcome.answer : outcome;
  const found = salvageTaskId(text);
  const isSafe = isTaskId(found, redactor) && redactor.text(found) === found;
  const taskId = isSafe && ids.tasks.add(found) ? found : null;
  const advice =
    taskId === null ? UNKNOWN_ADVICE : `What came of the answer names the task. ${resumeAdvice(taskId)}`;
  return new SubmissionOutcomeUnknownError(failureMessage(call, unknownReason(outcome), requestId, advice), {
    // As it was sent, whatever its caller has made of theirs since.
    request: redactor.data(parseJson(call.body)),
    requestId,
    status,
    cause: unknownCause(failure),
    ...(taskId === null ? {} : { taskId }),
  });
}

/** The error for a POST that its caller has left when it was under way. It goes on, for those who stay. */
export function leftUnderWay(
  call: Call,
  { requestId, journalKey, cause }: { requestId: string; journalKey: string | undefined; cause: unknown },
  redactor: Redactor,
): SubmissionOutcomeUnknownError {
  const named = redactor.text(requestId);
  const advice = `\`onSubmitted\` and the journal hear of its answer. ${UNKNOWN_ADVICE}`;
  return new SubmissionOutcomeUnknownError(failureMessage(call, ABORTED, named, advice), {
    request: redactor.data(parseJson(call.body)),
    requestId: named,
    status: null,
    cause: redactor.cause(cause),
    ...(journalKey === undefined ? {} : { journalKey }),
  });
}

/**
 * The id in what is left of an answer that is broken, or is an error: where one was returned, its task is what is waited
 * for (POST /api/v1/task), and what is paid for must not be lost with the rest.
 */
function salvageTaskId(text: string): string | null {
  return /"task_id"\s*:\s*"([^"\\\s]+)"/.exec(text)?.[1] ?? null;
}

function unknownReason(outcome: Outcome): string {
  switch (outcome.kind) {
    case "answered":
      return outcome.answer.status >= 500
        ? `the outcome is unknown after HTTP ${outcome.answer.status}`
        : `the outcome is unknown, since HTTP ${outcome.answer.status} came without a task id that can be read`;
    case "too_large":
      return "the outcome is unknown, since the response is too large to be read";
    case "foreign":
      return `the outcome is unknown, since the response belongs to another request: its \`${outcome.issue.path}\` ${outcome.issue.message}`;
    case "aborted":
      return ABORTED;
    case "timed_out":
      return "the outcome is unknown, since no answer came in time";
    case "lost":
    case "never_left":
    case "aborted_before_sending":
      return "the outcome is unknown, since the connection broke";
    default:
      return outcome satisfies never;
  }
}

function unknownCause(failure: Failure): unknown {
  const { call, outcome, requestId, redactor } = failure;
  if (outcome.kind === "aborted") return redactor.cause(outcome.cause);
  if (isUnusable(outcome)) return unusableError(failure, outcome);
  if (outcome.kind !== "answered") return connectionError(failure, outcome);
  if (outcome.answer.status >= 500) return answerError(failure, outcome);
  return invalidResponse(call, requestId, [{ path: "data.task_id", message: "can't be read" }], redactor);
}
