import type { AsyncMusicError } from "../errors/async-music-error.js";
import { ConnectionError } from "../errors/connection-error.js";
import { RequestTimeoutError } from "../errors/request-timeout-error.js";
import { SubmissionOutcomeUnknownError } from "../errors/submission-outcome-unknown-error.js";
import type { Call } from "./call.js";
import { errorOfAnswer } from "./error-answer.js";
import type { Answered, Outcome, Unanswered } from "./exchange.js";
import { failureMessage } from "./failure-message.js";
import type { Redactor } from "./redactor.js";

/** An attempt that brought no success, and what is needed to put it into words. */
export interface Failure {
  call: Call;
  requestId: string;
  outcome: Outcome;
  timeoutMs: number;
  now: number;
  redactor: Redactor;
}

/** What a failed attempt means: the error to throw, and whether the same request may be sent again instead. */
export interface Verdict {
  error: unknown;
  mayResend: boolean;
}

/** Reads change nothing, so they are sent again after everything that may pass (Errors: Retry rules). */
export function judgeRead(failure: Failure): Verdict {
  const { outcome } = failure;
  if (outcome.kind === "aborted" || outcome.kind === "aborted_before_sending") {
    return { error: outcome.cause, mayResend: false };
  }
  if (outcome.kind !== "answered") return { error: connectionError(failure, outcome), mayResend: true };

  const { status } = outcome.answer;
  return { error: answerError(failure, outcome), mayResend: status === 429 || status >= 500 };
}

/**
 * A POST is sent again only after a 429, which certainly created nothing. Whatever else leaves its outcome in doubt
 * is said to the caller: sending it again could pay twice (POST /api/v1/task).
 */
export function judgeSubmission(request: unknown): (failure: Failure) => Verdict {
  return (failure) => {
    const { outcome } = failure;
    if (outcome.kind === "aborted_before_sending") return { error: outcome.cause, mayResend: false };
    if (outcome.kind === "never_left") return { error: connectionError(failure, outcome), mayResend: false };
    if (outcome.kind !== "answered" || outcome.answer.status >= 500) {
      return { error: submissionOutcomeUnknown(failure, request), mayResend: false };
    }
    return { error: answerError(failure, outcome), mayResend: outcome.answer.status === 429 };
  };
}

/** The error for a POST of which nobody can tell whether it created a task. */
export function submissionOutcomeUnknown(failure: Failure, request: unknown): SubmissionOutcomeUnknownError {
  const { call, outcome, redactor } = failure;
  const requestId = redactor.text(failure.requestId);
  const advice =
    "It was not sent again, since that could pay twice: a task may have been created and its credits frozen. Compare " +
    "account.usage().tasks_created before you send it yourself.";
  return new SubmissionOutcomeUnknownError(failureMessage(call, unknownReason(outcome), requestId, advice), {
    request,
    requestId,
    status: outcome.kind === "answered" ? outcome.answer.status : outcome.status,
    cause: unknownCause(failure),
  });
}

function unknownReason(outcome: Outcome): string {
  switch (outcome.kind) {
    case "answered":
      return outcome.answer.status >= 500
        ? `the outcome is unknown after HTTP ${outcome.answer.status}`
        : `the outcome is unknown, since HTTP ${outcome.answer.status} came without a task id that can be read`;
    case "aborted":
      return "the outcome is unknown, since it was aborted after sending had begun";
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
  const { outcome, redactor } = failure;
  if (outcome.kind === "answered") {
    return outcome.answer.status >= 500 ? answerError(failure, outcome) : undefined;
  }
  return outcome.kind === "aborted" ? redactor.cause(outcome.cause) : connectionError(failure, outcome);
}

function answerError({ call, requestId, now, redactor }: Failure, { answer }: Answered) {
  return errorOfAnswer(call, { ...answer, requestId }, now, redactor);
}

function connectionError(failure: Failure, { kind, cause }: Unanswered): AsyncMusicError {
  const { call, timeoutMs, redactor } = failure;
  const requestId = redactor.text(failure.requestId);
  const details = { requestId, taskId: call.taskId, cause: redactor.cause(cause) };
  if (kind === "timed_out") {
    return new RequestTimeoutError(failureMessage(call, `no answer came within ${timeoutMs} ms`, requestId), details);
  }
  const reason = kind === "never_left" ? "no connection could be made, so nothing was sent" : "the connection broke";
  return new ConnectionError(failureMessage(call, reason, requestId), details);
}
