/** The two upstream model providers, as the `model` field names them. */
export const MODELS = ["provider_a", "provider_b"] as const;

/** Which upstream provider a task runs on. */
export type Model = (typeof MODELS)[number];

/** Every kind of task of the service. */
export const TASK_TYPES = ["music", "lyrics", "upload", "concat"] as const;

/** What a task makes: a song, lyrics, a clip from an address, or the whole of a continued song. */
export type TaskType = (typeof TASK_TYPES)[number];

/** How many clips a task usually makes; a song of `provider_b` is one. The interface does not state the numbers. */
export const USUAL_CLIPS: Readonly<Record<TaskType, number>> = { music: 2, lyrics: 0, upload: 1, concat: 1 };

export function isModel(value: unknown): value is Model {
  return isOneOf(MODELS, value);
}

export function isTaskType(value: unknown): value is TaskType {
  return isOneOf(TASK_TYPES, value);
}

/** What one credit costs, in US dollars. */
export const USD_PER_CREDIT = 0.01;

/** The path prefix that carries the version of the interface (Versioning). */
export const API_PREFIX = "/api/v1";

/** The four endpoints: the method, the path below the service address, and the status of success. */
export const ENDPOINTS = {
  createTask: { method: "POST", path: `${API_PREFIX}/task`, status: 202 },
  retrieveTask: { method: "GET", path: `${API_PREFIX}/task/{taskId}`, status: 200 },
  balance: { method: "GET", path: `${API_PREFIX}/account/balance`, status: 200 },
  usage: { method: "GET", path: `${API_PREFIX}/account/usage`, status: 200 },
} as const;

/** The headers that the interface gives a meaning to. */
export const HEADERS = {
  apiKey: "x-api-key",
  requestId: "X-Request-Id",
  rateLimitRemaining: "X-RateLimit-Remaining",
  retryAfter: "Retry-After",
} as const;

/** Every error code of an HTTP response, with its status; `null` where the interface does not show it (Errors). */
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

/** The stable classification of an HTTP error. */
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

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The service's numbers (Limits), in milliseconds where they are times. */
export const LIMITS = {
  /** Requests that one key may send in one window, unless the service says otherwise. */
  requestsPerWindow: 120,
  /** How long a window of the rate limit is. */
  windowMs: MINUTE,
  /** A task still open when it is older than this becomes `timeout`. */
  taskTimeoutMs: HOUR,
  /** How long tasks usually take. */
  typicalTaskMs: { shortest: 30 * SECOND, longest: 5 * MINUTE },
  /** One task is not polled more often than this. */
  shortestPollIntervalMs: SECOND,
  /** The pace of polling that the service recommends. */
  recommendedPollIntervalMs: { shortest: 5 * SECOND, longest: 10 * SECOND },
  /** How long an `audio_url` works after its task completed. */
  audioLifetimeMs: 7 * DAY,
  /** How many characters an `X-Request-Id` has. */
  requestIdLength: { shortest: 1, longest: 128 },
} as const;

const { shortest, longest } = LIMITS.requestIdLength;
const SAFE_REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{${shortest},${longest}}$`);

/** Whether the service would propagate this `X-Request-Id`: 1 to 128 of `A-Z a-z 0-9 . _ : -` (Authentication, 7). */
export function isSafeRequestId(value: string): boolean {
  return SAFE_REQUEST_ID.test(value);
}

/** Anything that JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Every status that a task can have (States and transitions). */
export const TASK_STATUSES = ["pending", "running", "success", "failure", "timeout"] as const;

/** The status of a task. The last three are final. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The statuses that a task never leaves. */
export const FINAL_STATUSES = ["success", "failure", "timeout"] as const satisfies readonly TaskStatus[];

/** A status that a task never leaves. */
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** Whether a task with this status has ended. A status that this version does not list is not final. */
export function isFinalStatus(status: string): status is FinalStatus {
  return isOneOf(FINAL_STATUSES, status);
}

function isOneOf<Value>(values: readonly Value[], value: unknown): value is Value {
  return values.some((each) => each === value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Why an option is refused: no such option exists, or it is not a property of the options object itself. */
export type RefusedOption = "unknown" | "inherited";

/**
 * Copies the known options; an absent one becomes `undefined`. Only own properties are read, so a polluted
 * `Object.prototype` sets no option.
 *
 * @throws what `refusal` returns for an unknown option, and for a known one that is inherited from a class or from other
 * options: either would silently do nothing
 */
export function ownOptions<Options extends object>(
  options: Options,
  known: readonly string[],
  refusal: (name: string, reason: RefusedOption) => Error,
): Options {
  for (const name of Object.keys(options)) {
    if (!known.includes(name) && Reflect.get(options, name) !== undefined) throw refusal(name, "unknown");
  }
  const own: Record<string, unknown> = {};
  for (const name of known) {
    const isOwn = Object.hasOwn(options, name);
    if (!isOwn && inherits(options, name)) throw refusal(name, "inherited");
    own[name] = isOwn ? Reflect.get(options, name) : undefined;
  }
  return own as Options;
}

/** Whether a prototype has the property. The last one of a chain does not count: it is the language's own, which may be polluted. */
function inherits(value: object, name: string): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return false;
  return Object.hasOwn(prototype, name) || inherits(prototype, name);
}
