import { ApiError } from "./api-error.js";

/** The service found the request invalid (400): no task was created and nothing was charged. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}
