/** The design's table of errors: the class for each code, on a read and on a POST. */
export const ERROR_CLASSES = [
  { code: "invalid_json", statuses: [400], read: "BadRequestError", post: "BadRequestError" },
  { code: "invalid_request_body", statuses: [400], read: "BadRequestError", post: "BadRequestError" },
  { code: "missing_required_fields", statuses: [400], read: "BadRequestError", post: "BadRequestError" },
  { code: "invalid_model", statuses: [400], read: "BadRequestError", post: "BadRequestError" },
  { code: "unsupported_task_type", statuses: [400], read: "BadRequestError", post: "BadRequestError" },
  { code: "invalid_task_input", statuses: [400], read: "BadRequestError", post: "BadRequestError" },
  {
    code: "invalid_audio_format",
    statuses: [400, 415, 422],
    read: "BadRequestError",
    post: "BadRequestError",
  },
  {
    code: "audio_format_unavailable",
    statuses: [400, 409, 422],
    read: "BadRequestError",
    post: "BadRequestError",
  },
  { code: "missing_api_key", statuses: [401], read: "AuthenticationError", post: "AuthenticationError" },
  { code: "invalid_api_key", statuses: [401], read: "AuthenticationError", post: "AuthenticationError" },
  {
    code: "insufficient_credits",
    statuses: [402],
    read: "InsufficientCreditsError",
    post: "InsufficientCreditsError",
  },
  {
    code: "account_suspended",
    statuses: [403],
    read: "AccountSuspendedError",
    post: "AccountSuspendedError",
  },
  { code: "task_not_found", statuses: [404], read: "TaskNotFoundError", post: "TaskNotFoundError" },
  { code: "rate_limited", statuses: [429], read: "RateLimitedError", post: "RateLimitedError" },
  { code: "internal_error", statuses: [500], read: "ServerError", post: "SubmissionOutcomeUnknownError" },
  {
    code: "upstream_provider_error",
    statuses: [502],
    read: "ServerError",
    post: "SubmissionOutcomeUnknownError",
  },
] as const;

/** The class where the code is one that this version does not know, or there is none: by the status. */
export const CLASSES_BY_STATUS = [
  { status: 302, read: "ApiError", post: "ApiError" },
  { status: 400, read: "BadRequestError", post: "BadRequestError" },
  { status: 401, read: "AuthenticationError", post: "AuthenticationError" },
  { status: 402, read: "InsufficientCreditsError", post: "InsufficientCreditsError" },
  { status: 403, read: "AccountSuspendedError", post: "AccountSuspendedError" },
  { status: 418, read: "ApiError", post: "ApiError" },
  { status: 429, read: "RateLimitedError", post: "RateLimitedError" },
  { status: 500, read: "ServerError", post: "SubmissionOutcomeUnknownError" },
  { status: 503, read: "ServerError", post: "SubmissionOutcomeUnknownError" },
] as const;

/** Where code and status disagree, the code decides; but no 5xx to a POST says what became of it. */
export const CODE_AGAINST_STATUS = [
  { code: "task_not_found", status: 400, read: "TaskNotFoundError", post: "TaskNotFoundError" },
  { code: "invalid_api_key", status: 403, read: "AuthenticationError", post: "AuthenticationError" },
  {
    code: "insufficient_credits",
    status: 400,
    read: "InsufficientCreditsError",
    post: "InsufficientCreditsError",
  },
  { code: "invalid_task_input", status: 500, read: "BadRequestError", post: "SubmissionOutcomeUnknownError" },
  {
    code: "invalid_audio_format",
    status: 503,
    read: "BadRequestError",
    post: "SubmissionOutcomeUnknownError",
  },
] as const;
