import { ApiError } from "./api-error.js";

/** The account is suspended and can't create tasks (403). */
export class AccountSuspendedError extends ApiError {
  override name = "AccountSuspendedError";
}
