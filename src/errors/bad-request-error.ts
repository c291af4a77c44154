import { ApiError } from "./api-error.js";

/**
 * The service refused the request as invalid: no task was created and nothing was charged. Thrown for HTTP 400, and with
 * any other status (see `status`) for the error codes `invalid_json`, `invalid_request_body`, `missing_required_fields`,
 * `invalid_model`, `unsupported_task_type`, `invalid_task_input`, `invalid_audio_format` and `audio_format_unavailable`.
 */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}
