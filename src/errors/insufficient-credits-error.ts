import { ApiError } from "./api-error.js";

/** The account has fewer credits available than the task costs (402): top up in the dashboard. */
export class InsufficientCreditsError extends ApiError {
  override name = "InsufficientCreditsError";
}
