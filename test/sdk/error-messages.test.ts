import {
  ApiError,
  BadRequestError,
  InvalidRequestError,
  SubmissionOutcomeUnknownError,
  WaitTimeoutError,
} from "async-music";
import { expect, test } from "vitest";
import { reasonOf, rejection } from "../support/rejection.js";
import { limited, refusal, SONG_REQUEST, submission, TASK_ID } from "../support/responses.js";
import { createWorld } from "../support/world.js";

// A message says what failed, why, what to do, and the request ID.

test("an `InvalidRequestError` that an application makes for its tests needs no issues", () => {
  const { message } = new InvalidRequestError("invalid_task_input", []);
  expect(message).toBe("Invalid request (invalid_task_input). Nothing was sent.");
});

/** The error of a balance with this response. */
function errorOf(response: Response) {
  const { client } = createWorld(() => response.clone(), { maxRetries: 0 });
  return reasonOf(client.account.balance({ requestId: "request-1" })) as Promise<ApiError>;
}

/** The message of the last failed poll of a wait for a task. */
async function pollMessageOf(response: Response): Promise<string> {
  const { client } = createWorld(() => response.clone());
  const wait = client.tasks.wait(TASK_ID, { requestId: "request-1", maxWaitMs: 5000 });
  return String(Object((await rejection(wait, WaitTimeoutError)).cause).message);
}

test.each<[status: number, body: unknown, reason: string]>([
  [400, { error_code: "invalid_model", message: "None." }, "invalid_model (HTTP 400): None"],
  [500, { message: "No. Sorry." }, "no error code (HTTP 500): No. Sorry. Try again later"],
  [400, { error_code: "invalid_model" }, "invalid_model (HTTP 400)"],
  [500, { message: "Who are you?" }, "no error code (HTTP 500): Who are you? Try again later"],
  [503, { message: "Too busy" }, "no error code (HTTP 503): Too busy. Try again later"],
  [400, { error_code: 7, message: 8 }, "no error code (HTTP 400)"],
  [418, { error_code: "teapot" }, "teapot (HTTP 418)"],
  [418, { error_code: "toString" }, "toString (HTTP 418)"],
  [500, null, "no error code (HTTP 500). Try again later"],
  [500, "error_code", "no error code (HTTP 500). Try again later"],
  [401, { error_code: "invalid_api_key" }, "invalid_api_key (HTTP 401). Check the API key"],
  [402, null, "no error code (HTTP 402). Top up the account, then send the request again"],
  [403, null, "no error code (HTTP 403). Contact the service"],
  [404, null, "no error code (HTTP 404). Check `baseUrl`"],
  [300, { message: "Gone" }, "HTTP 300 is a redirect, which the SDK does not follow. Check `baseUrl`"],
  [304, null, "no error code (HTTP 304). Check `baseUrl`"],
  [399, { message: "Gone" }, "HTTP 399 is a redirect, which the SDK does not follow. Check `baseUrl`"],
])("the message of a %i with %j says: %s", async (status, body, reason) => {
  const hasBody = status !== 304;
  const { message } = await errorOf(
    hasBody ? Response.json(body, { status }) : new Response(null, { status }),
  );
  expect(message).toBe(`Failed to read the balance: ${reason}. (request ID request-1)`);
});

test.each([
  [307, "A task may exist: check before you send it again."],
  [404, "Check `baseUrl`. (request ID"],
])("the message of a create with HTTP %i says: %s", async (status, text) => {
  const { client } = createWorld(() => Response.json({}, { status }));
  const error = await reasonOf(client.tasks.create(SONG_REQUEST, { requestId: "request-1" }));
  expect(error).toBeInstanceOf(ApiError);
  expect(String(error)).toContain(text);
  expect(String(error).includes("may exist")).toBe(status !== 404);
});

test.each([300, 302, 307, 308, 400, 409, 429, 500])(
  "a response with HTTP %i that names a task is named",
  async (status) => {
    const { client } = createWorld(() => Response.json({ code: 202, data: submission() }, { status }));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBe(TASK_ID);
    expect(error.message).toContain(
      `since the service returned HTTP ${status}. The bytes that arrived name task ${TASK_ID}.`,
    );
    expect(error.cause).toMatchObject({ name: expect.stringMatching(/Error$/), status });
  },
);

test("a body that is not JSON has no error code, and a redirect has the code of its body", async () => {
  const { message } = await errorOf(new Response("<h1>no</h1>", { status: 502 }));
  expect(message).toContain("no error code (HTTP 502). Try again later. (request ID");
  expect(await errorOf(refusal(302, "invalid_model"))).toMatchObject({ errorCode: "invalid_model" });
});

test("a message contains the service's message up to 300 characters", async () => {
  const { message } = await errorOf(refusal(400, "invalid_model", {}, { message: "x".repeat(301) }));
  expect(message).toContain(`: ${"x".repeat(300)}.`);
  expect(message).not.toContain("x".repeat(301));
});

test("a 429 with a stated wait says when to retry, and then how to resume", async () => {
  const { message } = await errorOf(limited(30));
  expect(message).toMatch(
    /\(HTTP 429\): .*\. Retry after 2026-01-01T00:00:30\.000Z\. \(request ID request-1\)$/,
  );
  const ofPoll = await pollMessageOf(limited(30));
  expect(ofPoll).toMatch(
    /Retry after 2026-01-01T00:00:30\.000Z\. \S.*client\.tasks\.wait.*\. \(request ID request-1\)$/,
  );
});

test.each([
  ["a 429 without a stated wait", refusal(429, "rate_limited")],
  ["a 503 with a stated wait", refusal(503, "internal_error", { "Retry-After": "30" })],
])("%s says only how to resume", async (_, response) => {
  const message = await pollMessageOf(response);
  expect(message).toMatch(/client\.tasks\.wait/);
  expect(message).not.toContain("Come back");
});

test.each([
  [400, "invalid_json", false],
  [400, "something_new", false],
  [422, "invalid_task_input", true],
  [415, "invalid_audio_format", true],
  [409, "audio_format_unavailable", true],
])("a BadRequestError with %i and %s says that it is one with any status: %s", async (status, code, says) => {
  const { client } = createWorld(() => refusal(status, code));
  const { message } = await rejection(client.tasks.create(SONG_REQUEST), BadRequestError);
  expect(message).toContain(`(HTTP ${status})`);
  const reason = "Its error code makes it a BadRequestError, whatever the HTTP status.";
  expect(message.includes(reason)).toBe(says);
});
