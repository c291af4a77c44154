import type { ErrorCode } from "../contract/wire.js";
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

/** A class of the family: each is made from the same details, and takes what it needs. */
export type ApiErrorClass = new (...details: ConstructorParameters<typeof RateLimitedError>) => ApiError;

const BY_CODE: Readonly<Record<ErrorCode, ApiErrorClass>> = {
  invalid_json: BadRequestError,
  invalid_request_body: BadRequestError,
  missing_required_fields: BadRequestError,
  invalid_model: BadRequestError,
  unsupported_task_type: BadRequestError,
  invalid_task_input: BadRequestError,
  invalid_audio_format: BadRequestError,
  audio_format_unavailable: BadRequestError,
  missing_api_key: AuthenticationError,
  invalid_api_key: AuthenticationError,
  insufficient_credits: InsufficientCreditsError,
  account_suspended: AccountSuspendedError,
  task_not_found: TaskNotFoundError,
  rate_limited: RateLimitedError,
  internal_error: ServerError,
  upstream_provider_error: ServerError,
};

const BY_STATUS: Readonly<Record<number, ApiErrorClass>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: AccountSuspendedError,
  429: RateLimitedError,
};

/** The class of an error answer: by its code first, by its status second. */
export function apiErrorClass(errorCode: string | null, status: number, readsTask: boolean): ApiErrorClass {
  if (errorCode !== null && isKnownCode(errorCode)) return BY_CODE[errorCode];
  // A bare 404 speaks of a task only where a task was asked for; elsewhere the address is wrong.
  if (status === 404 && readsTask) return TaskNotFoundError;
  return BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
}

/** Whether the interface lists this code. */
export function isKnownCode(errorCode: string): errorCode is ErrorCode {
  return Object.hasOwn(BY_CODE, errorCode);
}
