/** Errors: every code of an HTTP response with its status; `null` if the interface does not show it. */
export const ERROR_CODES = [
  { code: "invalid_json", status: 400 },
  { code: "invalid_request_body", status: 400 },
  { code: "missing_required_fields", status: 400 },
  { code: "invalid_model", status: 400 },
  { code: "unsupported_task_type", status: 400 },
  { code: "invalid_task_input", status: 400 },
  { code: "invalid_audio_format", status: null },
  { code: "audio_format_unavailable", status: null },
  { code: "missing_api_key", status: 401 },
  { code: "invalid_api_key", status: 401 },
  { code: "insufficient_credits", status: 402 },
  { code: "account_suspended", status: 403 },
  { code: "task_not_found", status: 404 },
  { code: "rate_limited", status: 429 },
  { code: "internal_error", status: 500 },
  { code: "upstream_provider_error", status: 502 },
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number]["code"];

/** The emulator's default where the status is not shown (docs/control-plane.md, policy). */
export const STATUS_WHERE_NOT_SHOWN = 400;

export function statusOf(code: ErrorCode): number {
  return ERROR_CODES.find((each) => each.code === code)?.status ?? STATUS_WHERE_NOT_SHOWN;
}

/** Resources, Task: what `error_code` of a task that ended in `failure` or `timeout` can be. */
export const TASK_ERROR_CODES = [
  "content_moderation",
  "invalid_task_input",
  "rate_limited",
  "upstream_provider_error",
] as const;
