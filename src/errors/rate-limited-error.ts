import { ApiError, type ApiErrorDetails } from "./api-error.js";

/** The rate limit is exceeded (429): the retries are spent, or the stated wait is longer than `retryBudgetMs`. */
export class RateLimitedError extends ApiError {
  override name = "RateLimitedError";

  /** The stated wait in seconds, counted from the answer; `null` where none was stated. */
  readonly retryAfterSeconds: number | null;

  /** When the stated wait is over, by the client's clock. */
  readonly retryAt: Date | null;

  constructor(
    message: string,
    details: ApiErrorDetails & { retryAfterSeconds: number | null; retryAt: Date | null },
  ) {
    super(message, details);
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.retryAt = details.retryAt;
  }
}
