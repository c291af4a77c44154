import { printableLine, withoutCredentials } from "../contract/text.js";
import type { ApiError } from "../errors/api-errors.js";
import { BadRequestError, RateLimitedError, TaskNotFoundError } from "../errors/api-errors.js";
import { dateAt } from "../time/clock.js";
import { type ApiErrorClass, apiErrorClass, isKnownCode } from "./api-error-table.js";
import type { Answer, Call } from "./call.js";
import { failureMessage } from "./failure-message.js";
import type { Redactor } from "./redactor.js";
import { statedWaitMs } from "./stated-wait.js";

/** How much of the service's prose goes into a message. */
const LONGEST_PROSE = 300;

/** The error that an answer of anything but success stands for, without a trace of the key. */
export function errorOfAnswer(call: Call, answer: Answer, now: number, redactor: Redactor): ApiError {
  const body = answer.json;
  const errorCode = stringAt(body, "error_code");
  const waitMs = statedWaitMs(answer.headers, body, now);
  const requestId = redactor.text(answer.requestId);

  const ErrorClass = apiErrorClass(errorCode, answer.status, call.taskId !== undefined);
  const prose = stringAt(body, "message");
  // Cleaned and redacted before it is shortened: half a key, or half a password, would not be found.
  const shownProse = prose === null ? null : withoutCredentials(redactor.text(printableLine(prose)));
  const reason = redactor.text(reasonOf(answer.status, errorCode, shownProse));
  const retryAt = waitMs === null ? null : dateAt(now + waitMs);
  return new ErrorClass(
    failureMessage(call, reason, requestId, adviceFor(call, answer.status, ErrorClass, retryAt)),
    {
      status: answer.status,
      errorCode: errorCode === null || isKnownCode(errorCode) ? errorCode : redactor.text(errorCode),
      requestId,
      headers: redactor.headers(answer.headers),
      taskId: call.taskId,
      retryAfterSeconds: waitMs === null ? null : Math.ceil(waitMs / 1000),
      retryAt,
    },
  );
}

/** What to do: about this class of error, then about the call. */
function adviceFor(
  call: Call,
  status: number,
  ErrorClass: ApiErrorClass,
  retryAt: Date | null,
): string | undefined {
  if (ErrorClass === TaskNotFoundError) return call.adviceIfNotFound?.() ?? call.advice;
  if (ErrorClass === BadRequestError && status !== 400)
    return ["This error code is a bad request with any HTTP status, not only with 400.", call.advice]
      .join(" ")
      .trimEnd();
  if (ErrorClass !== RateLimitedError || retryAt === null) return call.advice;
  return [`Come back at ${retryAt.toISOString()}.`, call.advice].join(" ").trimEnd();
}

function reasonOf(status: number, errorCode: string | null, prose: string | null): string {
  if (status === 0 || (status >= 300 && status < 400))
    return `HTTP ${status}, a redirect, which is not followed`;
  const said = prose === null ? "" : `: ${prose.slice(0, LONGEST_PROSE).replace(/\.$/, "")}`;
  return `${errorCode ?? "no error code"} (HTTP ${status})${said}`;
}

function stringAt(body: unknown, field: string): string | null {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, field) : null;
  return typeof value === "string" ? value : null;
}
