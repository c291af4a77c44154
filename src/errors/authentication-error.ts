import { ApiError } from "./api-error.js";

/** The API key is missing, unknown, deleted or disabled (401). */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}
