import type { Advice, MessageParts } from "../contract/message.js";
import { ERROR_STATUSES, type ErrorCode } from "../contract/service.js";
import { printableLine } from "../contract/text.js";
import { isError } from "../contract/thrown.js";
import {
  AccountSuspendedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  InsufficientCreditsError,
  RateLimitedError,
  ServerError,
  TaskNotFoundError,
} from "../errors/api-errors.js";
import { type AsyncMusicError, NOTHING_SENT } from "../errors/base.js";
import { ConnectionError, InvalidResponseError, RequestTimeoutError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { dateAt } from "../time/date.js";
import { noResponseWithin } from "../time/deadline.js";
import type { Call, Context } from "./context.js";
import { DEEPEST_CAUSE, OPENSSL, UNCODED } from "./never-sent.js";
import type { ApiResponse, Failure, NoResponse, Verdict } from "./outcome.js";

export function htmlAdvice(status = 200): string {
  return `This is HTML, not the service${status < 500 ? "" : ", perhaps of a gateway that failed"}: check \`baseUrl\`.`;
}

/** How much of a message of the service an error quotes, in characters. */
const LONGEST_PROSE = 300;

/** A system error code. Anything else may be prose, and is not shown. */
const CODE = /^[A-Z][A-Za-z0-9_/]{2,40}$/;

/** Reads change nothing, so they are sent again after every failure that may pass (Errors: Retry rules). */
export function judgeRead(failure: Failure): Verdict {
  const { outcome } = failure;
  switch (outcome.kind) {
    case "received": {
      const { status } = outcome.response;
      return { error: responseError(failure, outcome.response), mayResend: status === 429 || status >= 500 };
    }
    case "too_large":
    case "foreign":
      return { error: invalidResponse(failure, [outcome.issue]), mayResend: outcome.kind === "foreign" };
    case "aborted":
    case "aborted_before_sending":
      return { error: outcome.cause, mayResend: false };
    default:
      return { error: connectionError(failure, outcome), mayResend: true };
  }
}

/** The parts of the message of a call that failed. The request ID is added from the error's details. */
export function failureParts(call: Call, why: string, advice: Advice | undefined): MessageParts {
  return { what: `Failed to ${call.purpose}`, why, ...advice };
}

/** The error for a call that was not sent, since a 429 holds the key back for longer than the call may wait. */
export function heldError(
  { clock, pacer }: Pick<Context, "clock" | "pacer">,
  call: Call,
  requestId: string,
): RateLimitedError {
  const now = clock.now();
  const heldForMs = (pacer.rateLimit().heldUntil ?? now) - now;
  const retryAt = dateAt(now + heldForMs);
  const reason = `rate_limited: an earlier 429 pauses this API key until ${retryAt.toISOString()}`;
  return new RateLimitedError(failureParts(call, reason, { ...call.advice?.(), facts: [NOTHING_SENT] }), {
    status: 429,
    errorCode: "rate_limited",
    requestId,
    headers: new Headers(),
    taskId: call.taskId,
    retryAfterSeconds: Math.ceil(heldForMs / 1000),
    retryAt,
  });
}

/** The error for a response that does not match the interface. `received`: the call, and what is known of its response. */
export function invalidResponse(
  received: Pick<Failure, "call" | "requestId"> & { context: Pick<Context, "redactor">; isHtml?: boolean },
  issues: readonly { path: string; message: string }[],
): InvalidResponseError {
  const { context, call, isHtml } = received;
  const { redactor } = context;
  const what = issues.map(({ path, message }) => `\`${path === "" ? "body" : path}\` ${message}`).join("; ");
  const reason = `the response does not match the interface: ${redactor.text(what)}`;
  const advice = isHtml
    ? adviceOf(call, htmlAdvice())
    : adviceToRepeat(call, "Report the request ID to the service.");
  return new InvalidResponseError(failureParts(call, reason, advice), {
    requestId: redactor.text(received.requestId),
    issues,
    taskId: call.taskId,
  });
}

export function connectionError(
  { context: { redactor }, call, requestId }: Failure,
  { kind, cause, url, timeoutMs }: NoResponse,
): AsyncMusicError {
  const id = redactor.text(requestId);
  if (kind === "timed_out") return timeoutError(call, id, timeoutMs);
  const details = { requestId: id, taskId: call.taskId, cause: redactor.cause(cause) };
  const host = redactor.text(new URL(url).host);
  const code = codeOf(cause, redactor);
  const isTls = code.startsWith(` (${OPENSSL}`) || code === " (EPROTO)";
  if (kind !== "never_sent") {
    const advice = adviceToRepeat(call, isTls ? HTTP_HINT : "Try again.");
    return new ConnectionError(
      failureParts(call, `no readable response came from ${host}${code}`, advice),
      details,
    );
  }
  const reason = `the connection to ${host} failed${code}; nothing was sent`;
  const first =
    adviceForAddress(url) || (isTls ? HTTP_HINT : "Check the address and the network, then try again.");
  return new ConnectionError(failureParts(call, reason, adviceOf(call, first)), details);
}

export function timeoutError(call: Call, requestId: string, timeoutMs: number): RequestTimeoutError {
  const advice = adviceToRepeat(call, "Try again, or raise `timeoutMs`.");
  const parts = failureParts(call, noResponseWithin(timeoutMs), advice);
  return new RequestTimeoutError(parts, { requestId, taskId: call.taskId });
}

const HTTP_HINT = "The TLS handshake failed: does `baseUrl` need http instead of https?";

/** The advice of the call; for a read without one, this. A POST may have created a task: it must not be repeated. */
function adviceToRepeat(call: Call, repeat: string): Advice | undefined {
  return call.advice?.() ?? (call.method === "GET" ? { advice: [repeat] } : undefined);
}

/** This advice for every reader, with the advice of the call. */
function adviceOf(call: Call, first: string): Advice {
  return { ...call.advice?.(), advice: [first] };
}

/** What to do if no network resolves the address; empty if one may. */
export function adviceForAddress(url: string): string {
  if (!new URL(url).hostname.endsWith(".async-music.test")) return "";
  return "This address belongs to an in-process emulator: pass all of `emulator.connection()`, including `fetch`.";
}

/** The system's code for a broken connection, in brackets; empty without a readable one. */
export function codeOf(cause: unknown, redactor: Redactor, depth = 0): string {
  try {
    if (!isError(cause) || depth > DEEPEST_CAUSE) return "";
    const code: unknown = Reflect.get(cause, "code");
    if (UNCODED.test(cause.message)) return ` (${cause.message})`;
    if (typeof code === "string" && CODE.test(code)) return ` (${redactor.text(code)})`;
    return codeOf(cause.cause, redactor, depth + 1);
  } catch {
    // An error of a custom `fetch` may throw when it is read.
    return "";
  }
}

/** The error for an error response. No part of it contains the key. */
export function responseError(
  { context: { redactor }, call }: Pick<Failure, "call"> & { context: Pick<Context, "redactor"> },
  response: ApiResponse,
): ApiError {
  const { status, headers, json, statedWaitMs: waitMs, receivedAt } = response;
  const errorCode = typeof json["error_code"] === "string" ? json["error_code"] : null;
  const requestId = redactor.text(response.requestId);
  const ErrorClass = apiErrorClass(errorCode, status, call.taskId !== undefined);
  const retryAt = waitMs === null ? null : dateAt(receivedAt + waitMs);
  const reason = redactor.text(reasonOf(status, errorCode, json["message"], redactor));
  const parts = failureParts(call, reason, adviceFor(call, response, ErrorClass, retryAt));
  const details = {
    status,
    errorCode: isKnownCode(errorCode) ? errorCode : errorCode && redactor.text(errorCode),
    requestId,
    headers: redactor.headers(headers),
    taskId: call.taskId,
  };
  if (!isRateLimited(ErrorClass)) return new ErrorClass(parts, details);
  const retryAfterSeconds = waitMs === null ? null : Math.ceil(waitMs / 1000);
  return new RateLimitedError(parts, { ...details, retryAfterSeconds, retryAt });
}

function reasonOf(status: number, errorCode: string | null, prose: unknown, redactor: Redactor): string {
  if (status !== 404 && status !== 304 && isAddressWrong(status))
    return `HTTP ${status} is a redirect, which the SDK does not follow`;
  const reason = `${errorCode ?? "no error code"} (HTTP ${status})`;
  if (typeof prose !== "string") return reason;
  // Cleaned and redacted before it is shortened: half a key, or half a password, would not be found.
  const shown = redactor.safeText(printableLine(prose));
  return `${reason}: ${shown.slice(0, LONGEST_PROSE)}`;
}

/** What to do about this class of error, then about the call. */
function adviceFor(
  call: Call,
  { status, json, isHtml }: ApiResponse,
  ErrorClass: ApiErrorClass,
  retryAt: Date | null,
): Advice | undefined {
  if (isHtml) return adviceOf(call, htmlAdvice(status));
  if (ErrorClass === TaskNotFoundError) {
    // Without an error code, the response may be that of another server.
    const address =
      json["error_code"] === undefined ? ["Check `baseUrl`, too, and read the task again."] : [];
    const notFound = call.adviceIfNotFound?.();
    return notFound === undefined
      ? { ...call.advice?.(), advice: address }
      : { advice: [notFound, ...address] };
  }
  let first = ADVICE.get(ErrorClass);
  if (ErrorClass === BadRequestError && status !== 400)
    first = "Its error code makes it a BadRequestError, whatever the HTTP status.";
  if (ErrorClass === RateLimitedError && retryAt !== null) first = `Retry after ${retryAt.toISOString()}.`;
  if (ErrorClass === ApiError && isAddressWrong(status)) {
    first = "Check `baseUrl`.";
    // A gateway that redirects may have forwarded the request.
    if (call.method === "POST" && status !== 404)
      first += " A task may exist: check before you send it again.";
  }
  if (ErrorClass === ServerError && call.method === "GET") first = "Try again later.";
  return first === undefined ? call.advice?.() : adviceOf(call, first);
}

const ADVICE: ReadonlyMap<ApiErrorClass, string> = new Map([
  [AuthenticationError, "Check the API key."],
  [InsufficientCreditsError, "Top up the account, then send the request again."],
  [AccountSuspendedError, "Contact the service."],
]);

/** A redirect, a 304 although no cached response was named, or a 404 that is about no task. */
function isAddressWrong(status: number): boolean {
  return status === 404 || status === 0 || (status >= 300 && status < 400);
}

type ApiErrorClass = typeof ApiError | typeof RateLimitedError;

const BY_STATUS: Readonly<Record<number, ApiErrorClass>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: AccountSuspendedError,
  404: TaskNotFoundError,
  429: RateLimitedError,
};

function apiErrorClass(errorCode: string | null, status: number, readsTask: boolean): ApiErrorClass {
  const isKnown = isKnownCode(errorCode);
  // A 404 without a code is about a task only if a task was read; otherwise the address is wrong.
  if (!isKnown && status === 404 && !readsTask) return ApiError;
  const meant = isKnown ? (ERROR_STATUSES[errorCode] ?? 400) : status;
  return BY_STATUS[meant] ?? (meant >= 500 ? ServerError : ApiError);
}

function isRateLimited(ErrorClass: ApiErrorClass): ErrorClass is typeof RateLimitedError {
  return ErrorClass === RateLimitedError;
}

function isKnownCode(errorCode: string | null): errorCode is ErrorCode {
  return errorCode !== null && Object.hasOwn(ERROR_STATUSES, errorCode);
}
