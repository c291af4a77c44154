import { describe, expect, test } from "vitest";
import type { Call } from "../../../src/http/context.js";
import { failureOf, responseError } from "../../../src/http/failure.js";
import { createRedactor } from "../../../src/http/redactor.js";
import { createContext } from "../../support/context.js";
import { createResponse } from "../../support/response.js";

// What failed, why, what to do, and the name of the request: the one grammar of messages.

const NOW = Date.UTC(2026, 0, 1);
const CALL: Call = {
  method: "GET",
  path: "/api/v1/account/balance",
  kind: "account",
  purpose: "read the balance",
};

function errorOf(status: number, body: unknown, { call = CALL, headers = {} } = {}) {
  const context = createContext({ redactor: createRedactor("key_4f9a1c77e2b0") });
  return responseError({ context, call }, createResponse(status, body, headers, NOW));
}

describe("why", () => {
  test.each<[what: string, status: number, body: unknown, reason: string]>([
    [
      "a code and prose",
      400,
      { error_code: "invalid_model", message: "There is none." },
      "invalid_model (HTTP 400): There is none",
    ],
    [
      "prose of two sentences",
      500,
      { error_code: "internal_error", message: "No. Sorry." },
      "internal_error (HTTP 500): No. Sorry",
    ],
    ["a code alone", 400, { error_code: "invalid_model" }, "invalid_model (HTTP 400)"],
    ["prose alone", 503, { message: "Too busy" }, "no error code (HTTP 503): Too busy"],
    ["a code that is none", 400, { error_code: 7, message: 8 }, "no error code (HTTP 400)"],
    ["a code of a later day", 418, { error_code: "teapot" }, "teapot (HTTP 418)"],
    ["a body that is null", 500, null, "no error code (HTTP 500)"],
    ["a body that is a text", 500, '"error_code"', "no error code (HTTP 500)"],
    ["no JSON", 502, "<h1>no</h1>", "no error code (HTTP 502)"],
  ])("is %s", (_, status, body, reason) => {
    expect(errorOf(status, body).message).toBe(
      `Failed to read the balance: ${reason}. (request id request-1)`,
    );
  });

  test("is prose only as far as its 300th character", () => {
    const { message } = errorOf(400, { error_code: "invalid_model", message: "x".repeat(301) });
    expect(message).toContain(`: ${"x".repeat(300)}.`);
    expect(message).not.toContain("x".repeat(301));
  });

  test.each([0, 300, 302, 308, 399])(
    "is a redirect where the status is %i, whatever the body says",
    (status) => {
      const { message, errorCode } = errorOf(status, { error_code: "invalid_model", message: "Gone" });
      expect(message).toContain(`HTTP ${status}, a redirect`);
      expect(message).not.toContain("Gone");
      expect(errorCode).toBe("invalid_model");
    },
  );

  test.each([299, 400])("is no redirect where the status is %i", (status) => {
    expect(errorOf(status, {}).message).not.toContain("redirect");
  });
});

describe("what to do", () => {
  const advised: Call = {
    ...CALL,
    taskId: "t-1",
    advice: "The task goes on.",
    adviceIfNotFound: () => "Look for another id.",
  };
  const advice = (status: number, body: unknown, options: object = {}) =>
    errorOf(status, body, { call: advised, ...options }).message.replace(/^.*\(HTTP \d+\)\. /, "");

  test("is what the call advises", () => {
    expect(advice(500, {})).toBe("The task goes on. (request id request-1)");
  });

  test("is another thing where the service knows nothing by that id", () => {
    expect(advice(404, { error_code: "task_not_found" })).toBe("Look for another id. (request id request-1)");
    const call: Call = { ...advised };
    delete call.adviceIfNotFound;
    expect(advice(404, {}, { call })).toBe("The task goes on. (request id request-1)");
  });

  test("is to come back when the stated wait is over, and then what the call advises", () => {
    const headers = { "Retry-After": "30" };
    expect(advice(429, {}, { headers })).toBe(
      "Come back at 2026-01-01T00:00:30.000Z. The task goes on. (request id request-1)",
    );
    expect(advice(429, {}, { headers, call: CALL })).toBe(
      "Come back at 2026-01-01T00:00:30.000Z. (request id request-1)",
    );
  });

  test("is nothing of coming back where no wait is stated, or where the limit is not what failed", () => {
    expect(advice(429, {})).toBe("The task goes on. (request id request-1)");
    expect(advice(503, {}, { headers: { "Retry-After": "30" } })).toBe(
      "The task goes on. (request id request-1)",
    );
  });
});

test("the stated wait stands in the error in seconds, rounded up, and as a date", () => {
  const error = errorOf(429, { retry_after_seconds: 1.2 });
  expect(error).toMatchObject({ retryAfterSeconds: 2, retryAt: new Date(NOW + 1200) });
  expect(errorOf(429, {})).toMatchObject({ retryAfterSeconds: null, retryAt: null });
});

test.each([
  ["Failed to wait: the task failed. Read it again. (request id r-1)", "Failed to wait: the task failed."],
  ["Failed to wait: it is v5.5. Read it.", "Failed to wait: it is v5.5."],
  ["Failed to wait:\nno. (request id r-1)", "Failed to wait:\nno."],
  ["No full stop", "No full stop"],
])("of a message what failed and why can be taken alone: %j", (message, failure) => {
  expect(failureOf(message)).toBe(failure);
});
