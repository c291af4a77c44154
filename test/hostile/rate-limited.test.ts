import { type AsyncMusic, RateLimitedError } from "async-music";
import { describe, expect, test } from "vitest";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { listen, reply, replying } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, submission, TASK_ID, task } from "../support/responses.js";
import { START } from "../support/test-clock.js";
import { API_KEY } from "../support/world.js";

// Errors: on a 429 the Retry-After header and retry_after_seconds give the wait. A 429 on creation may be retried
// after it; a read too.

interface Case {
  call: (client: AsyncMusic, options?: { maxRetries?: number }) => Promise<unknown>;
  status: number;
  data: unknown;
}

const create: Case["call"] = (client, options) => client.tasks.create(SONG_REQUEST, options);
const read: Case["call"] = (client, options) => client.tasks.retrieve(TASK_ID, options);

const CALLS: [name: string, call: Case][] = [
  ["a create", { call: create, status: 202, data: submission() }],
  ["a read", { call: read, status: 200, data: task() }],
];

const inSeconds = (seconds: number) => new Date(START + seconds * 1000).toUTCString();

type Headers = Record<string, string>;

/** A server that limits the first requests. `arrivedAt` is the time of each request on the client's clock. */
async function limiting(times: number, { status, data }: Case, headers: Headers, body: object, options = {}) {
  const arrivedAt: number[] = [];
  const server = await listen((to, _, index) => {
    arrivedAt.push(clock.elapsed());
    if (index >= times) reply(to, status, { code: status, data });
    else reply(to, 429, { code: 429, error_code: "rate_limited", message: "slow down", ...body }, headers);
  });
  const { client, clock } = connect(server, options);
  return { client, clock, arrivedAt };
}

const STATED: [what: string, headers: Headers, body: object, waitMs: number][] = [
  ["seconds in the header", { "Retry-After": "7" }, {}, 7000],
  ["seconds in the body", {}, { retry_after_seconds: 7 }, 7000],
  ["the same in both", { "Retry-After": "7" }, { retry_after_seconds: 7 }, 7000],
  ["more in the header", { "Retry-After": "9" }, { retry_after_seconds: 3 }, 9000],
  ["more in the body", { "Retry-After": "3" }, { retry_after_seconds: 9 }, 9000],
  ["a date", { "Retry-After": inSeconds(11) }, {}, 11_000],
  ["a date and fewer seconds", { "Retry-After": inSeconds(11) }, { retry_after_seconds: 2 }, 11_000],
  ["a part of a second", { "Retry-After": "1.5" }, {}, 1500],
  ["garbage, and seconds in the body", { "Retry-After": "soon" }, { retry_after_seconds: 4 }, 4000],
  ["exactly the whole budget", { "Retry-After": "120" }, {}, 120_000],
];

const UNSTATED: [what: string, headers: Headers, body: object][] = [
  ["nothing", {}, {}],
  ["negative seconds", { "Retry-After": "-5" }, { retry_after_seconds: -5 }],
  ["garbage", { "Retry-After": "in a while" }, { retry_after_seconds: "x" }],
  ["zero", { "Retry-After": "0" }, { retry_after_seconds: 0 }],
  ["a date in the past", { "Retry-After": inSeconds(-60) }, {}],
];

describe.each(CALLS)("%s", (_, call) => {
  test.each(STATED)(
    "is retried after the wait of a 429 that states %s, and not before",
    async (_, headers, body, waitMs) => {
      const { client, arrivedAt } = await limiting(1, call, headers, body);
      await expect(call.call(client)).resolves.toEqual(call.data);
      expect(arrivedAt).toEqual([0, expect.any(Number)]);
      expect(arrivedAt[1]).toBeGreaterThanOrEqual(waitMs);
      expect(arrivedAt[1]).toBeLessThanOrEqual(waitMs + 1000);
    },
  );

  test.each(UNSTATED)("is retried within 10 s after a 429 that states %s", async (_, headers, body) => {
    const { client, arrivedAt } = await limiting(1, call, headers, body);
    await expect(call.call(client)).resolves.toEqual(call.data);
    expect(arrivedAt).toHaveLength(2);
    expect(arrivedAt[1]).toBeLessThanOrEqual(10_000);
  });

  test.each([
    ["seconds", { "Retry-After": "121" }, {}, 121],
    ["a date", { "Retry-After": inSeconds(3600) }, {}, 3600],
    ["seconds in the body", {}, { retry_after_seconds: 86_400 }, 86_400],
    ["seconds, limited to a day", { "Retry-After": "9999999999999999999" }, {}, 86_400],
  ])("fails at once if the wait, in %s, is longer than its budget", async (_, headers, body, seconds) => {
    const { client, clock, arrivedAt } = await limiting(1, call, headers, body);
    const error = await rejection(call.call(client), RateLimitedError);
    expect(error.retryAfterSeconds).toBe(seconds);
    expect(error.retryAt).toEqual(new Date(START + seconds * 1000));
    expect(arrivedAt).toEqual([0]);
    expect(clock.elapsed()).toBe(0);
    // The next call waits for the same limit, so it is not sent either.
    await rejection(call.call(client), RateLimitedError);
    expect(arrivedAt).toHaveLength(1);
  });

  test("has one budget for all its waits", async () => {
    const { client, arrivedAt } = await limiting(9, call, { "Retry-After": "50" }, {}, { maxRetries: 9 });
    await rejection(call.call(client), RateLimitedError);
    expect(arrivedAt).toEqual([0, 50_000, 100_000]);
  });

  test.each([
    [0, 1],
    [1, 2],
    [4, 5],
  ])("with `maxRetries: %i` is sent %i times", async (maxRetries, times) => {
    const { client, arrivedAt } = await limiting(99, call, { "Retry-After": "1" }, {});
    const error = await rejection(call.call(client, { maxRetries }), RateLimitedError);
    expect(arrivedAt).toHaveLength(times);
    expect(error).toMatchObject({ status: 429, errorCode: "rate_limited", retryAfterSeconds: 1 });
    expect(error.requestId).not.toBe("");
    expectNoKey(error, API_KEY);
  });
});

/** The error of a create that always receives this response, and how many were sent. */
async function refusedWith(status: number, body: object | string, headers: Headers, options = {}) {
  const server = await listen(replying(status, body, headers));
  const { client } = connect(server, options);
  const error = await rejection(client.tasks.create(SONG_REQUEST), RateLimitedError);
  return { error, sent: server.arrivals.length };
}

const LIMITED = { code: 429, error_code: "rate_limited" };

test("a create is not retried after a 403, even with the code `rate_limited`", async () => {
  const { sent } = await refusedWith(403, { ...LIMITED, code: 403 }, { "Retry-After": "1" });
  expect(sent).toBe(1);
});

test("a 429 in HTML is a RateLimitedError with the wait of its header, which is rounded up", async () => {
  const { error } = await refusedWith(429, "<h1>Slow down</h1>", { "Retry-After": "300.2" });
  expect(error).toMatchObject({ status: 429, errorCode: null, retryAfterSeconds: 301 });
  expect(error.retryAt).toEqual(new Date(START + 300_200));
});

test("`retryAfterSeconds` and `retryAt` are null if a 429 states no wait", async () => {
  const { error } = await refusedWith(429, LIMITED, {}, { maxRetries: 0 });
  expect(error).toMatchObject({ retryAfterSeconds: null, retryAt: null });
});
