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
