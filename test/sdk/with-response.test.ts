import { type ApiPromise, type AsyncMusic, AuthenticationError } from "async-music";
import { describe, expect, test } from "vitest";
import { rejection } from "../support/rejection.js";
import { refusal, SONG_REQUEST, submission, TASK_ID, task } from "../support/responses.js";
import { createWorld } from "../support/world.js";

type Headers = Record<string, string>;

const BALANCE = { available: 90, frozen: 10, total: 100 };
const USAGE = { tasks_created: 3, credits_used: 30, credits_topped_up: 130 };

/** The four endpoints, with their calls, and the status and data of their responses. */
const ENDPOINTS: [
  name: string,
  call: (client: AsyncMusic) => ApiPromise<unknown>,
  status: number,
  data: object,
][] = [
  ["create", (client) => client.tasks.create(SONG_REQUEST), 202, submission()],
  ["retrieve", (client) => client.tasks.retrieve(TASK_ID), 200, task()],
  ["balance", (client) => client.account.balance(), 200, BALANCE],
  ["usage", (client) => client.account.usage(), 200, USAGE],
];

describe.each(ENDPOINTS)("%s().withResponse()", (_, call, status, data) => {
  const answer = (headers: Headers) => Response.json({ code: status, data }, { status, headers });

  test("resolves with the data, the response, its request ID and the remaining requests", async () => {
    const headers = { "X-Request-Id": "served-1", "X-RateLimit-Remaining": "117", "X-Other": "kept" };
    const { client } = createWorld(() => answer(headers));
    const answered = await call(client).withResponse();
    expect(answered).toMatchObject({ data, requestId: "served-1", rateLimit: { remaining: 117 } });
    expect(answered.response).toBeInstanceOf(Response);
    expect(answered.response.status).toBe(status);
    expect(answered.response.headers.get("X-Other")).toBe("kept");
    await expect(answered.response.json()).resolves.toEqual({ code: status, data });
  });

  test("shares one request with the plain promise", async () => {
    const { client, requests } = createWorld(() => answer({}));
    const promise = call(client);
    const [plain, full] = await Promise.all([promise, promise.withResponse(), promise.withResponse()]);
    expect(plain).toEqual(data);
    expect(full.data).toBe(plain);
    expect(requests).toHaveLength(1);
  });

  test.each([
    [undefined, null],
    ["", null],
    ["many", null],
    ["-1", null],
    ["1.5", null],
    ["0", 0],
  ])("reads a header of %j as %j remaining requests", async (header, remaining) => {
    const headers: Headers = header === undefined ? {} : { "X-RateLimit-Remaining": header };
    const { client } = createWorld(() => answer(headers));
    expect((await call(client).withResponse()).rateLimit).toEqual({ remaining });
  });

  test("has the id that was sent if the response has none", async () => {
    for (const headers of [{}, { "X-Request-Id": "" }]) {
      const { client, requests } = createWorld(() => answer(headers));
      const { requestId } = await call(client).withResponse();
      expect(requestId).toBe(requests[0]?.headers.get("X-Request-Id"));
    }
  });

  test("rejects as the plain promise does, without an unhandled rejection", async () => {
    const { client } = createWorld(() => refusal(401, "invalid_api_key"));
    await rejection(call(client).withResponse(), AuthenticationError);
    await rejection(call(client), AuthenticationError);
  });

  test("is a normal promise", async () => {
    const promise = () => call(createWorld(() => answer({})).client);
    expect(promise()).toBeInstanceOf(Promise);
    await expect(promise().then(() => "then")).resolves.toBe("then");
    await expect(promise().finally(() => {})).resolves.toEqual(data);
  });
});
