import type { MessageParts } from "../contract/message.js";
import type { ErrorCode } from "../contract/service.js";
import type { Known } from "../contract/task.js";
import { AsyncMusicError, type ErrorDetails } from "./base.js";
import { brand } from "./brand.js";

/** What an HTTP error response states. */
export interface ApiErrorDetails extends ErrorDetails {
  status: number;
  errorCode: string | null;
  requestId: string;
  headers: Headers;
}

/**
 * The service returned an error. Branch on `errorCode` or on the class, never on the message. A redirect is an error, too, since the
 * SDK does not follow it: after a `create` without a journal, a task may then exist.
 */
export class ApiError extends AsyncMusicError {
  static {
    brand(this, "ApiError");
  }

  /** The HTTP status. */
  declare readonly status: number;

  /** The service's stable classification; `null` if the response had none. */
  declare readonly errorCode: Known<ErrorCode> | null;

  /** Identifies the request in the service's records: quote it when you ask for help. */
  declare readonly requestId: string;

  /** The headers of the response. */
  declare readonly headers: Headers;

  constructor(message: string | MessageParts, details: ApiErrorDetails) {
    super(message, details);
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), headers: Object.fromEntries(this.headers) };
  }
}

/**
 * The service refused the request as invalid: no task was created and nothing was charged. Thrown for HTTP 400, and with
 * any other status (see `status`) for the error codes `invalid_json`, `invalid_request_body`, `missing_required_fields`,
 * `invalid_model`, `unsupported_task_type`, `invalid_task_input`, `invalid_audio_format` and `audio_format_unavailable`.
 */
export class BadRequestError extends ApiError {
  static {
    brand(this, "BadRequestError");
  }
}

/** The API key is missing, unknown, deleted or disabled (401). */
export class AuthenticationError extends ApiError {
  static {
    brand(this, "AuthenticationError");
  }
}

/** The account has fewer credits available than the task costs (402): top up in the dashboard. */
export class InsufficientCreditsError extends ApiError {
  static {
    brand(this, "InsufficientCreditsError");
  }
}

/** The account is suspended and can't create tasks (403). */
export class AccountSuspendedError extends ApiError {
  static {
    brand(this, "AccountSuspendedError");
  }
}

/** No task of this account has that ID (404). */
export class TaskNotFoundError extends ApiError {
  static {
    brand(this, "TaskNotFoundError");
  }
}

/** The rate limit is exceeded (429): no retries are left, or the stated wait is longer than `retryBudgetMs`. */
export class RateLimitedError extends ApiError {
  static {
    brand(this, "RateLimitedError");
  }

  /** The stated wait in seconds, counted from the response; `null` if none was stated. */
  declare readonly retryAfterSeconds: number | null;

  /** When the stated wait ends, by the client's clock. */
  declare readonly retryAt: Date | null;

  constructor(
    message: string | MessageParts,
    details: ApiErrorDetails & { retryAfterSeconds: number | null; retryAt: Date | null },
  ) {
    super(message, details);
  }
}

/**
 * The service returned a 5xx status to a read, also after the retries. After a create, it is the `cause` of
 * `SubmissionOutcomeUnknownError`.
 */
export class ServerError extends ApiError {
  static {
    brand(this, "ServerError");
  }
}
