/**
 * Every error code of an HTTP answer, with the status that it comes with (Errors). `null` where the interface does
 * not show the status.
 */
export const ERROR_STATUSES = {
  invalid_json: 400,
  invalid_request_body: 400,
  missing_required_fields: 400,
  invalid_model: 400,
  unsupported_task_type: 400,
  invalid_task_input: 400,
  invalid_audio_format: null,
  audio_format_unavailable: null,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_credits: 402,
  account_suspended: 403,
  task_not_found: 404,
  rate_limited: 429,
  internal_error: 500,
  upstream_provider_error: 502,
} as const;

/** The stable classification of an HTTP error answer. */
export type ErrorCode = keyof typeof ERROR_STATUSES;

/** Why a task can end in `failure` or `timeout`. */
export const TASK_ERROR_CODES = [
  "content_moderation",
  "invalid_task_input",
  "rate_limited",
  "upstream_provider_error",
] as const;

/** The stable classification of a task that ended in `failure` or `timeout`. */
export type TaskErrorCode = (typeof TASK_ERROR_CODES)[number];
