import { ApiError } from "./api-error.js";

/** The service failed to answer a read (5xx), also after the retries. */
export class ServerError extends ApiError {
  override name = "ServerError";
}
