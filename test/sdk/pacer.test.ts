import { RateLimitedError, WaitTimeoutError } from "async-music";
import { expect, test } from "vitest";
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
} from "../support/answers.js";
import { createRateLimit } from "../support/limited-service.js";
import { rejection } from "../support/rejection.js";
import { createTestClock } from "../support/test-clock.js";
import { createWorld, inTurn } from "../support/world.js";

// The pacer: all requests of one client share one budget.

const MINUTE = 60_000;

test("300 calls at once under 120 a minute get no 429", async () => {
  const limit = createRateLimit();
  const { client, clock, requests } = createWorld((request) => limit.count(request, () => balance()));
  await Promise.all(Array.from({ length: 300 }, () => client.account.balance()));
  expect(limit.refused()).toBe(0);
  expect(requests).toHaveLength(300);
  expect(clock.elapsed()).toBe(2 * MINUTE);
});

test("a limit that is lower than the usual one is learned from the first answer", async () => {
  const limit = createRateLimit({ requests: 10 });
  const { client, clock } = createWorld((request) => limit.count(request, () => balance()));
  await client.account.balance();
  await Promise.all(Array.from({ length: 25 }, () => client.account.balance()));
  expect(limit.refused()).toBe(0);
  expect(clock.elapsed()).toBe(2 * MINUTE);
});

test("a lower limit does not answer the first burst with 429s", async () => {
  const limit = createRateLimit({ requests: 10 });
  const { client, clock } = createWorld((request) => limit.count(request, () => balance()));
  await Promise.all(Array.from({ length: 45 }, () => client.account.balance()));
  expect(limit.refused()).toBe(0);
  expect(clock.elapsed()).toBe(4 * MINUTE);
});

test("a limit that another process shares is kept too", async () => {
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

test("a 429 of one call holds back every other call of the client", async () => {
  const { client, requests } = createWorld(
    inTurn(
      () => limited(30),
      () => balance(),
    ),
  );
  const first = client.account.balance();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, client.account.balance(), client.account.usage().catch(() => {})]);
  expect(requests.map(({ at }) => at)).toEqual([0, 30_000, 30_000, 30_000]);
});

test("a 429 that states no wait holds the others back too", async () => {
  const { client, requests } = createWorld(
    inTurn(
      () => refusal(429, "rate_limited"),
      () => balance(),
    ),
  );
  const first = client.account.balance();
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, client.account.balance()]);
  for (const { at } of requests.slice(1)) expect(at).toBeGreaterThanOrEqual(500);
});

test("while a 429 holds the key back for longer than a call may wait, the call fails at once and nothing is sent", async () => {
  const { client, requests, clock } = createWorld(() => limited(600));
  await rejection(client.account.balance(), RateLimitedError);
  await clock.sleep(60_000);
  const error = await rejection(client.tasks.create(SONG_REQUEST), RateLimitedError);
  expect(error.retryAfterSeconds).toBe(540);
  expect(error.retryAt).toEqual(new Date(Date.UTC(2026, 0, 1, 0, 10)));
  expect((await rejection(client.tasks.retrieve(TASK_ID), RateLimitedError)).taskId).toBe(TASK_ID);
  expect(requests).toHaveLength(1);
});

test("a wait outlasts a hold that is longer than any call may wait", async () => {
  const { client, requests } = createWorld(
    inTurn(
      () => limited(600),
      () => ok(succeeded()),
    ),
  );
  await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
  expect(requests[1]?.at).toBeGreaterThanOrEqual((requests[0]?.at ?? 0) + 600_000);
});

test("retrieves of one task that are made together leave a second apart", async () => {
  const { client, requests } = createWorld((request) => ok(task({ task_id: taskIdIn(request) })));
  await Promise.all([
    client.tasks.retrieve(TASK_ID),
    client.tasks.retrieve(TASK_ID),
    client.tasks.retrieve("other"),
  ]);
  expect(requests.map(({ path, at }) => [path.split("/").at(-1), at])).toEqual([
    [TASK_ID, 0],
    ["other", 0],
    [TASK_ID, 1000],
  ]);
});

test("two clients do not hold each other back", async () => {
  const first = createWorld(() => limited(600));
  const second = createWorld(() => balance());
  await rejection(first.client.account.balance(), RateLimitedError);
  await second.client.account.balance();
  expect(second.requests).toHaveLength(1);
});

test("calls that queue when a 429 holds the key back for longer than they may wait fail at once, and send nothing", async () => {
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

test("a clock that comes to its end ends what waits for it, with its reason", async () => {
  const end = new Error("the clock has stopped");
  const clock = createTestClock({ skips: false });
  const { client, requests } = createWorld(() => balance(), {
    clock: { ...clock, sleep: () => Promise.reject(end) },
  });
  await expect(client.tasks.wait(TASK_ID)).rejects.toMatchObject({ taskId: TASK_ID, cause: end });
  await expect(Promise.all(Array.from({ length: 200 }, () => client.account.balance()))).rejects.toBe(end);
  expect(requests.length).toBeLessThanOrEqual(120);
});

test("a client tells what it knows of the rate limit", async () => {
  const answers = [() => balance({}, { "X-RateLimit-Remaining": "59" }), () => limited(30)];
  const { client, clock } = createWorld(inTurn(...answers), { maxRetries: 0 });
  expect(client.rateLimit).toMatchObject({ remaining: null, heldUntil: null });
  await client.account.balance();
  const end = new Date(clock.now() + MINUTE);
  expect(client.rateLimit).toEqual({ limit: 60, remaining: 59, resetAt: end, heldUntil: null });
  await rejection(client.account.balance(), RateLimitedError);
  expect(client.rateLimit.heldUntil).toEqual(new Date(clock.now() + 30_000));
});
