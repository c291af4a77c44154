import { ConnectionError } from "./connection-error.js";

/** No answer came within `timeoutMs`. */
export class RequestTimeoutError extends ConnectionError {
  override name = "RequestTimeoutError";
}
