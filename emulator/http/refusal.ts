import { ERROR_STATUSES, type ErrorCode, HEADERS } from "../../src/contract/wire.js";
import type { Policy } from "../core/policy-fields.js";
import { jsonAnswer } from "./answers.js";
import type { Answer } from "./exchange.js";

/** Every error code that the emulator answers with: the interface's, and those for what is no endpoint. */
export type RefusalCode = ErrorCode | keyof typeof OTHER_STATUSES;

/** Codes that the interface does not have. */
const OTHER_STATUSES = {
  not_found: 404,
  method_not_allowed: 405,
  foreign_origin: 403,
  billing_incomplete: 409,
} as const;

/** Why an exchange goes no further. Thrown by the stages, and rendered in one place. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly errorCode: RefusalCode;
  /** Only of a 429: the wait. */
  readonly retryAfterSeconds: number | undefined;
  /** Only of a wrong method: those that the path has. */
  readonly allow: string | undefined;

  constructor(
    errorCode: RefusalCode,
    message: string,
    more: { retryAfterSeconds?: number; allow?: string } = {},
  ) {
    super(message);
    this.errorCode = errorCode;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.allow = more.allow;
  }
}

/** The error body with its status and headers: the only place that knows which code has which status. */
export function refusalAnswer(
  { errorCode, message, retryAfterSeconds, allow }: Refusal,
  policy: Policy,
): Answer {
  const status = statusOf(errorCode, policy);
  const answer = errorAnswer(status, errorCode, message, retryAfterSeconds);
  if (allow !== undefined) answer.headers["Allow"] = allow;
  return answer;
}

/** An error answer of any status. */
export function errorAnswer(
  status: number,
  errorCode: string,
  message: string,
  retryAfterSeconds?: number,
): Answer {
  const wait = retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds };
  const answer = jsonAnswer(status, { code: status, error_code: errorCode, message, ...wait }, errorCode);
  if (retryAfterSeconds !== undefined) answer.headers[HEADERS.retryAfter] = String(retryAfterSeconds);
  return answer;
}

/** The error code that goes with a status where nothing else is said: only what begins with 4 is the caller's fault. */
export function usualErrorCode(status: number): string {
  const known = Object.entries(ERROR_STATUSES).find(([, each]) => each === status);
  return known?.[0] ?? (status >= 400 && status < 500 ? "invalid_request_body" : "internal_error");
}

function statusOf(errorCode: RefusalCode, policy: Policy): number {
  switch (errorCode) {
    case "not_found":
    case "method_not_allowed":
    case "foreign_origin":
    case "billing_incomplete":
      return OTHER_STATUSES[errorCode];
    case "invalid_audio_format":
      return policy.invalid_audio_format_status;
    case "audio_format_unavailable":
      return policy.audio_format_unavailable_status;
    default:
      return ERROR_STATUSES[errorCode];
  }
}
