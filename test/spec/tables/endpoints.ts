/** Endpoints: method, path, the status of success, the statuses of its errors. */
export const ENDPOINTS = [
  {
    name: "createTask",
    method: "POST",
    path: "/api/v1/task",
    success: 202,
    errors: [400, 401, 402, 403, 429, 500, 502],
  },
  {
    name: "retrieveTask",
    method: "GET",
    path: "/api/v1/task/{taskId}",
    success: 200,
    errors: [401, 404, 429, 500],
  },
  { name: "balance", method: "GET", path: "/api/v1/account/balance", success: 200, errors: [401, 429, 500] },
  { name: "usage", method: "GET", path: "/api/v1/account/usage", success: 200, errors: [401, 429, 500] },
] as const;

/** Endpoints, Authentication and Errors: the headers that have a meaning. */
export const HEADERS = {
  apiKey: "x-api-key",
  requestId: "X-Request-Id",
  rateLimitRemaining: "X-RateLimit-Remaining",
  retryAfter: "Retry-After",
} as const;

/** Authentication, 7: which `X-Request-Id` is propagated, and which is replaced. */
export const REQUEST_IDS = [
  { name: "one character", value: "a", safe: true },
  { name: "128 characters", value: "x".repeat(128), safe: true },
  { name: "129 characters", value: "x".repeat(129), safe: false },
  { name: "a UUID", value: "0b9f6f2e-6f0a-4c3e-9d7c-6a1f4f3d2c1b", safe: true },
  { name: "every kind of safe character", value: "Az09._:-", safe: true },
  { name: "a space", value: "two words", safe: false },
  { name: "a slash", value: "a/b", safe: false },
  { name: "markup", value: "<b>", safe: false },
  { name: "a quote", value: '"a"', safe: false },
  { name: "nothing", value: "", safe: false },
  { name: "a letter outside ASCII", value: "caf\u00e9", safe: false },
] as const;
