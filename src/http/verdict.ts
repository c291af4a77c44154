import type { ApiError } from "../errors/api-errors.js";
import type { AsyncMusicError } from "../errors/base.js";
import type { InvalidResponseError } from "../errors/connection-errors.js";
import { ConnectionError, RequestTimeoutError } from "../errors/connection-errors.js";
import type { Call } from "./call.js";
import { errorOfAnswer } from "./error-answer.js";
import type { Answered, Outcome, Unanswered, Unusable } from "./exchange.js";
import { adviceAbout, codeOf, connectionTo } from "./failed-connection.js";
import { failureMessage } from "./failure-message.js";
import type { KnownIds } from "./known-ids.js";
import { invalidResponse } from "./parse-answer.js";
import type { Redactor } from "./redactor.js";

/** An attempt that brought no success, and what is needed to put it into words. */
export interface Failure {
  call: Call;
  requestId: string;
  outcome: Outcome;
  timeoutMs: number;
  now: number;
  redactor: Redactor;
  ids: KnownIds;
}

/** What a failed attempt means: the error to throw, and whether the same request may be sent again instead. */
export interface Verdict {
  error: unknown;
  mayResend: boolean;
}

/** The sending rule of a call. */
export type Judge = (failure: Failure) => Verdict;

/** Reads change nothing, so they are sent again after everything that may pass (Errors: Retry rules). */
export function judgeRead(failure: Failure): Verdict {
  const { outcome } = failure;
  if (outcome.kind === "aborted" || outcome.kind === "aborted_before_sending") {
    return { error: outcome.cause, mayResend: false };
  }
  if (isUnusable(outcome)) {
    return { error: unusableError(failure, outcome), mayResend: outcome.kind === "foreign" };
  }
  if (outcome.kind !== "answered") return { error: connectionError(failure, outcome), mayResend: true };

  const { status } = outcome.answer;
  return { error: answerError(failure, outcome), mayResend: status === 429 || status >= 500 };
}

/** The error for an answer of anything but success. */
export function answerError({ call, requestId, now, redactor }: Failure, { answer }: Answered): ApiError {
  return errorOfAnswer(call, { ...answer, requestId }, now, redactor);
}

export function isUnusable(outcome: Outcome): outcome is Unusable {
  return outcome.kind === "too_large" || outcome.kind === "foreign";
}

/** The error for a response that is too large, or that belongs to another request. */
export function unusableError(
  { call, requestId, redactor }: Failure,
  { issue }: Unusable,
): InvalidResponseError {
  return invalidResponse(call, requestId, [issue], redactor);
}

/** The error for an attempt that no answer came to. */
export function connectionError(failure: Failure, { kind, cause, url }: Unanswered): AsyncMusicError {
  const { call, timeoutMs, redactor } = failure;
  const requestId = redactor.text(failure.requestId);
  const details = { requestId, taskId: call.taskId, cause: redactor.cause(cause) };
  if (kind === "timed_out") {
    return new RequestTimeoutError(
      failureMessage(call, `no answer came within ${timeoutMs} ms`, requestId),
      details,
    );
  }
  const [connection, code] = [connectionTo(url, redactor), codeOf(cause, redactor)];
  if (kind !== "never_left") {
    return new ConnectionError(failureMessage(call, `the ${connection} broke${code}`, requestId), details);
  }
  const reason = `no ${connection} could be made${code}, so nothing was sent`;
  const advice = [adviceAbout(url), call.advice].filter((each) => each !== undefined).join(" ") || undefined;
  return new ConnectionError(failureMessage(call, reason, requestId, advice), details);
}
