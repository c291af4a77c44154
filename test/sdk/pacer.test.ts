import { RateLimitedError, WaitTimeoutError } from "async-music";
import { expect, test } from "vitest";
import { createLimitedWorld, createRateLimit } from "../support/limited-service.js";
import { rejection } from "../support/rejection.js";
import {
  balance,
  limited,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { createTestClock } from "../support/test-clock.js";
import { arrivals, createWorld, gaps, inTurn } from "../support/world.js";

// The pacer: all requests of one client share one budget.

const MINUTE = 60_000;

test.each([
  ["the usual limit", 120, 300, 2],
  ["a lower limit, which the first responses show,", 10, 45, 4],
])(
  "under %s of %i a minute, %i calls at once get no 429, and take %i minutes",
  async (_, max, calls, minutes) => {
    const limit = { requests: max };
    const { client, clock, requests, refused } = createLimitedWorld(() => balance(), limit);
    await Promise.all(Array.from({ length: calls }, () => client.account.balance()));
    expect([refused(), requests.length]).toEqual([0, calls]);
    expect(clock.elapsed()).toBe(minutes * MINUTE);
  },
);

test("the limit is kept while another process uses the same key", async () => {
  const limit = createRateLimit();
  const { client } = createWorld((request) => {
    limit.count(request, () => balance());
    return limit.count(request, () => balance());
  });
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 20 }, () => client.account.balance()));
  }
  expect(limit.refused()).toBe(0);
});

test("a 429 without a stated wait delays the others too", async () => {
  const { client, requests } = createWorld(inTurn(refusal(429, "rate_limited"), balance()));
  const first = client.account.balance();
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, client.account.balance()]);
  for (const { at } of requests.slice(1)) expect(at).toBeGreaterThanOrEqual(500);
});

test("a call with a wait limit below the 429's wait fails at once and sends nothing", async () => {
  const { client, requests, clock } = createWorld(() => limited(600));
  await rejection(client.account.balance(), RateLimitedError);
  await clock.sleep(60_000);
  const error = await rejection(client.tasks.create(SONG_REQUEST), RateLimitedError);
  expect(error.retryAfterSeconds).toBe(540);
  expect(error.retryAt).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 10)));
  expect((await rejection(client.tasks.retrieve(TASK_ID), RateLimitedError)).taskId).toBe(TASK_ID);
  expect(requests).toHaveLength(1);
});

test("a task wait continues after a 429 that is longer than a call's wait limit", async () => {
  const { client, requests } = createWorld(inTurn(limited(600), ok(succeeded())));
  await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
  expect(requests[1]?.at).toBeGreaterThanOrEqual((requests[0]?.at ?? 0) + 600_000);
});

test("retrieves of one task that do not share a read are sent a second apart", async () => {
  const { client, requests } = createWorld((request) => ok(task({ task_id: taskIdIn(request) })));
  await Promise.all([
    client.tasks.retrieve(TASK_ID, { tenant: "one" }),
    client.tasks.retrieve(TASK_ID, { tenant: "two" }),
    client.tasks.retrieve("other"),
  ]);
  expect(requests.map(({ path, at }) => [path.split("/").at(-1), at])).toEqual([
    [TASK_ID, 0],
    ["other", 0],
    [TASK_ID, 1000],
  ]);
});

test("retrieves of one task are a second apart, whatever other tasks are read meanwhile", async () => {
  const { client, clock, requests } = createWorld((request) => ok(task({ task_id: taskIdIn(request) })));
  const calls: Promise<unknown>[] = [];
  for (let at = 0; at < 10_000; at += 100) {
    calls.push(client.tasks.retrieve(at % 900 === 300 ? TASK_ID : `other-${at}`));
    await clock.sleep(100);
  }
  await Promise.all(calls);
  const reads = requests.filter(({ path }) => path.endsWith(TASK_ID));
  expect(reads).toHaveLength(10);
  for (const gap of gaps(arrivals({ requests: reads }))) expect(gap).toBeGreaterThanOrEqual(1000);
});

test("a 429 of one client does not delay another client", async () => {
  const first = createWorld(() => limited(600));
  const second = createWorld(() => balance());
  await rejection(first.client.account.balance(), RateLimitedError);
  await second.client.account.balance();
  expect(second.requests).toHaveLength(1);
});

test("queued calls with a wait limit below the 429's wait fail at once and send nothing", async () => {
  const last = () => balance({}, { "X-RateLimit-Remaining": "1" });
  const { client, clock, requests } = createWorld(inTurn(last, () => limited(3600), last));
  await client.account.balance();
  const calls = [1, 2, 3].map(() => rejection(client.account.balance(), RateLimitedError));
  const wait = client.tasks.wait(TASK_ID, { maxWaitMs: 60_000 });
  for (const error of await Promise.all(calls)) expect(error.retryAfterSeconds).toBe(3600);
  expect(clock.elapsed()).toBe(0);
  expect(requests).toHaveLength(2);
  await expect(wait).rejects.toBeInstanceOf(WaitTimeoutError);
});

test("a clock that throws ends every wait for it, with its error", async () => {
  const end = new Error("the clock has stopped");
  const clock = createTestClock({ skips: false });
  const { client, requests } = createWorld(() => balance(), {
    clock: { ...clock, sleep: () => Promise.reject(end) },
  });
  await expect(client.tasks.wait(TASK_ID)).rejects.toMatchObject({ taskId: TASK_ID, cause: end });
  await expect(Promise.all(Array.from({ length: 200 }, () => client.account.balance()))).rejects.toBe(end);
  expect(requests.length).toBeLessThanOrEqual(120);
});

test("`client.rateLimit` has the limit, the remaining requests and the end of a 429", async () => {
  const answers = [() => balance({}, { "X-RateLimit-Remaining": "59" }), () => limited(30)];
  const { client, clock } = createWorld(inTurn(...answers), { maxRetries: 0 });
  expect(client.rateLimit).toMatchObject({ remaining: null, heldUntil: null });
  await client.account.balance();
  const end = new Date(clock.now() + MINUTE);
  expect(client.rateLimit).toEqual({ limit: 60, remaining: 59, resetAt: end, heldUntil: null });
  await rejection(client.account.balance(), RateLimitedError);
  expect(client.rateLimit.heldUntil).toEqual(new Date(clock.now() + 30_000));
});
