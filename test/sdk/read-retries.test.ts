import { once } from "node:events";
import { RateLimitedError, RequestTimeoutError, ServerError } from "async-music";
import { afterEach, expect, test, vi } from "vitest";
import { rejection } from "../support/rejection.js";
import { balance, limited, refusal, TASK_ID, task } from "../support/responses.js";
import { createTestClock, START, turns } from "../support/test-clock.js";
import { createTimeLimit } from "../support/time-limit.js";
import { arrivals, createWorld, gaps, inTurn, never, type SeenRequest } from "../support/world.js";

afterEach(() => void vi.useRealTimers());

// Errors, retry rules. The waits between attempts use the client's `clock` option.

const DAY = 86_400_000;
const broken = () => refusal(502, "upstream_provider_error");

test.each([
  ["shortest", 0, [0, 0]],
  ["longest", 1 - Number.EPSILON, [500, 1000, 2000, 4000, 8000, 8000, 8000]],
])("with the %s jitter (%f) the attempts are %j ms apart", async (_, random, expected) => {
  const world = createWorld(broken, { random: () => random, maxRetries: expected.length });
  await rejection(world.client.account.balance(), ServerError);
  expect(gaps(arrivals(world)).map(Math.round)).toEqual(expected);
});

test.each([
  ["Retry-After in seconds", { "Retry-After": "20" }],
  ["Retry-After as a date", { "Retry-After": new Date(Date.UTC(2026, 0, 1) + 20_000).toUTCString() }],
])("a 503 with %s is not retried earlier", async (_, headers) => {
  const world = createWorld(inTurn(refusal(503, "internal_error", headers), balance()), { random: () => 0 });
  await world.client.account.balance();
  expect(arrivals(world)).toEqual([0, 20_000]);
});

test("retryBudgetMs limits all waits of a call together", async () => {
  const unavailable = () => refusal(503, "internal_error", { "Retry-After": "4" });
  const world = createWorld(unavailable, { maxRetries: 99, retryBudgetMs: 10_000 });
  await rejection(world.client.account.balance(), ServerError);
  expect(arrivals(world)).toEqual([0, 4000, 8000]);
});

test("a retryBudgetMs of 0 still allows a retry without a wait", async () => {
  const world = createWorld(inTurn(limited(0), balance()), { retryBudgetMs: 0 });
  await world.client.account.balance();
  expect(arrivals(world)).toEqual([0, 0]);
});

test.each([
  [0, 1],
  [1, 2],
  [7, 8],
])("a client with `maxRetries: %i` makes %i attempts", async (maxRetries, attempts) => {
  const { client, requests } = createWorld(broken, { maxRetries });
  await rejection(client.account.usage(), ServerError);
  expect(requests).toHaveLength(attempts);
});

test.each([
  [302, 1],
  [400, 1],
  [404, 1],
  [429, 3],
  [499, 1],
  [500, 3],
  [503, 3],
])("a read with a %i response is sent %i times", async (status, attempts) => {
  const { client, requests } = createWorld(() => new Response("", { status }));
  await expect(client.account.balance()).rejects.toMatchObject({ status });
  expect(requests).toHaveLength(attempts);
});

test("the attempts at one task are a second apart, whatever the jitter", async () => {
  const world = createWorld(
    inTurn(broken, broken, () => Response.json({ code: 200, data: task() })),
    { random: () => 0 },
  );
  await world.client.tasks.retrieve(TASK_ID);
  expect(arrivals(world)).toEqual([0, 1000, 2000]);
});

test("an attempt without a response times out in real time and is retried", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const world = createWorld((request, index) => {
    if (index > 0) return balance();
    setImmediate(pass);
    return never(request);
  });
  await world.client.account.balance({ timeoutMs });
  expect(world.requests).toHaveLength(2);
  expect(world.requests[0]?.signal.aborted).toBe(true);
});

test("a fetch that ignores its signal times out, too", async () => {
  const world = createWorld(() => new Promise<Response>(() => {}), { timeoutMs: 10, maxRetries: 0 });
  await rejection(world.client.account.balance(), RequestTimeoutError);
});

test("time spent waiting for another attempt does not count against the attempt", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const clock = createTestClock();
  const world = createWorld(inTurn(limited(100), balance()), { clock, timeoutMs: 50 });
  const { sleep } = clock;
  clock.sleep = async (ms, signal) => {
    await sleep(ms, signal);
    vi.advanceTimersByTime(ms);
  };
  await expect(world.client.account.balance()).resolves.toMatchObject({ total: 100 });
});

test("a huge stated wait is limited to a day, after which the client sends again", async () => {
  const { client, clock } = createWorld(
    inTurn(refusal(429, "rate_limited", { "Retry-After": "9".repeat(400) }), balance()),
    { maxRetries: 0, retryBudgetMs: 2 * DAY },
  );
  const error = await rejection(client.account.balance(), RateLimitedError);
  expect(error).toMatchObject({ retryAfterSeconds: DAY / 1000, retryAt: new Date(START + DAY) });
  await expect(client.account.balance()).resolves.toMatchObject({ total: 100 });
  expect(clock.elapsed()).toBe(DAY);
});

test("an attempt that times out cancels the body that it was reading", async () => {
  let left = 0;
  const endless = () =>
    new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        controller.enqueue(new TextEncoder().encode(" "));
      },
      cancel: () => void left++,
    });
  const { client } = createWorld(() => new Response(endless()), { timeoutMs: 20, maxRetries: 1 });
  await rejection(client.account.balance(), RequestTimeoutError);
  expect(left).toBe(2);
});

test("a response that arrives after the timeout is canceled unread", async () => {
  let left = 0;
  const late = async ({ signal }: SeenRequest) => {
    await once(signal, "abort");
    return new Response(new ReadableStream({ cancel: () => void left++ }));
  };
  const { client } = createWorld(late, { timeoutMs: 10, maxRetries: 0 });
  await rejection(client.account.balance(), RequestTimeoutError);
  await turns(3);
  expect(left).toBe(1);
});

test("a 404 without a body is TaskNotFoundError for a task, and ApiError for another path", async () => {
  const { client } = createWorld(() => new Response("<h1>Not Found</h1>", { status: 404 }));
  await expect(client.tasks.retrieve(TASK_ID)).rejects.toMatchObject({
    name: "TaskNotFoundError",
    taskId: TASK_ID,
    message: expect.stringMatching(
      /Check that this is a task ID, .* Check `baseUrl`, too, and read the task again\. \(request ID/,
    ),
  });
  await expect(client.account.balance()).rejects.toMatchObject({
    name: "ApiError",
    status: 404,
    errorCode: null,
  });
});
