interface ErrorClass {
  code: string;
  statuses: readonly number[];
  /** The class for a read. */
  read: string;
  /** The class for a POST. */
  post: string;
}

const UNKNOWN = "SubmissionOutcomeUnknownError";

/** The class for each code, on a read and on a POST, as in docs/errors.md. */
export const ERROR_CLASSES: readonly ErrorClass[] = [
  ...classes("BadRequestError", [
    ["invalid_json", 400],
    ["invalid_request_body", 400],
    ["missing_required_fields", 400],
    ["invalid_model", 400],
    ["unsupported_task_type", 400],
    ["invalid_task_input", 400],
    ["invalid_audio_format", 400, 415, 422],
    ["audio_format_unavailable", 400, 409, 422],
  ]),
  ...classes("AuthenticationError", [
    ["missing_api_key", 401],
    ["invalid_api_key", 401],
  ]),
  ...classes("InsufficientCreditsError", [["insufficient_credits", 402]]),
  ...classes("AccountSuspendedError", [["account_suspended", 403]]),
  ...classes("TaskNotFoundError", [["task_not_found", 404]]),
  ...classes("RateLimitedError", [["rate_limited", 429]]),
  ...classes("ServerError", [["internal_error", 500]], UNKNOWN),
  ...classes("ServerError", [["upstream_provider_error", 502]], UNKNOWN),
];

/** If code and status disagree, the code decides. A 5xx to a POST always leaves its outcome unknown. */
export const CODE_AGAINST_STATUS: readonly ErrorClass[] = [
  ...classes("TaskNotFoundError", [["task_not_found", 400]]),
  ...classes("AuthenticationError", [["invalid_api_key", 403]]),
  ...classes("InsufficientCreditsError", [["insufficient_credits", 400]]),
  ...classes("BadRequestError", [["invalid_task_input", 500]], UNKNOWN),
  ...classes("BadRequestError", [["invalid_audio_format", 503]], UNKNOWN),
];

/** The class for an unknown or absent code, by the status. */
export const CLASSES_BY_STATUS = [
  { status: 302, read: "ApiError", post: "ApiError" },
  { status: 400, read: "BadRequestError", post: "BadRequestError" },
  { status: 401, read: "AuthenticationError", post: "AuthenticationError" },
  { status: 402, read: "InsufficientCreditsError", post: "InsufficientCreditsError" },
  { status: 403, read: "AccountSuspendedError", post: "AccountSuspendedError" },
  // A gateway may have forwarded the request before it gave up.
  { status: 408, read: "ApiError", post: UNKNOWN },
  { status: 418, read: "ApiError", post: "ApiError" },
  { status: 429, read: "RateLimitedError", post: "RateLimitedError" },
  { status: 500, read: "ServerError", post: UNKNOWN },
  { status: 503, read: "ServerError", post: UNKNOWN },
] as const;

function classes(
  read: string,
  rows: readonly (readonly [code: string, ...statuses: number[]])[],
  post = read,
): ErrorClass[] {
  return rows.map(([code, ...statuses]) => ({ code, statuses, read, post }));
}
