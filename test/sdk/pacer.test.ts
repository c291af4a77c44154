import { type AsyncMusic, RateLimitedError, WaitTimeoutError } from "async-music";
import { expect, test } from "vitest";
import {
  accepted,
  balance,
  limited,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
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

test.each([
  [30, 30_000],
  [120, 90_000],
  [120, 300_000],
])("a window of %i requests in %i ms is learned, and then kept", async (perWindow, windowMs) => {
  const limit = createRateLimit({ requests: perWindow, windowMs });
  const { client, clock } = createWorld((request) => limit.count(request, () => balance()), {
    retryBudgetMs: 1e9,
  });
  for (let elapsed = 0; elapsed < 2 * windowMs; elapsed += windowMs / 20) {
    await client.account.balance();
    await clock.sleep(windowMs / 20);
  }
  const before = clock.elapsed();
  await Promise.all(Array.from({ length: 10 * perWindow }, () => client.account.balance()));
  expect(limit.refused()).toBeLessThanOrEqual(5);
  expect(clock.elapsed() - before).toBeLessThanOrEqual(11 * windowMs);
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

test("a thousand waiting tasks under 120 requests a minute get no 429, and none is starved", async () => {
  const limit = createRateLimit();
  const pollsByTask = new Map<string, number[]>();
  const { client, clock } = createWorld((request) =>
    limit.count(request, () => {
      const taskId = request.path.split("/").at(-1) ?? "";
      const polls = pollsByTask.get(taskId) ?? [];
      pollsByTask.set(taskId, [...polls, request.at]);
      const fields = { task_id: taskId };
      // Every tenth task takes a quarter of an hour, the others two minutes.
      const doneAt = Number(taskId) % 10 === 0 ? 15 * MINUTE : 2 * MINUTE;
      return ok(request.at >= doneAt ? succeeded(fields) : task(fields));
    }),
  );
  const waits = Array.from({ length: 1000 }, (_, index) => client.tasks.wait(String(index)));
  await Promise.all(waits);
  expect(limit.refused()).toBe(0);
  for (const polls of pollsByTask.values()) {
    expect(polls[0]).toBeLessThan(15 * MINUTE);
    for (const [index, at] of polls.entries())
      expect(at - (polls[index - 1] ?? 0)).toBeGreaterThanOrEqual(1000);
  }
  expect(clock.elapsed()).toBeLessThan(40 * MINUTE);
});

test("a create and a balance go ahead of a thousand polls that wait for their turn", async () => {
  const limit = createRateLimit();
  const { client, clock } = createWorld((request) =>
    limit.count(request, () => {
      if (request.method === "POST") return accepted();
      if (request.path.endsWith("balance")) return balance();
      return ok(request.at >= 20 * MINUTE ? succeeded() : task());
    }),
  );
  const waits = Array.from({ length: 1000 }, (_, index) => client.tasks.wait(String(index)));
  await clock.sleep(30_000);
  const before = clock.elapsed();
  await Promise.all([client.tasks.create(SONG_REQUEST), client.account.balance()]);
  expect(clock.elapsed() - before).toBeLessThan(1000);
  expect(limit.refused()).toBe(0);
  await Promise.all(waits);
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
  const { client, requests } = createWorld(() => ok(task()));
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

test.each([
  ["account reads", (client: AsyncMusic) => client.account.balance()],
  ["creates", (client: AsyncMusic) => client.tasks.create(SONG_REQUEST)],
] as const)("a backlog of %s that never ends does not starve a wait, nor the wait them", async (_, send) => {
  const limit = createRateLimit();
  const { client, clock, requests } = createWorld((request) =>
    limit.count(request, () => {
      if (request.method === "POST") return accepted();
      if (request.path.endsWith("balance")) return balance();
      return ok(request.at >= 2 * MINUTE ? succeeded() : task());
    }),
  );
  const backlog = { isOver: false };
  const loops = Array.from({ length: 250 }, async () => {
    while (!backlog.isOver) await send(client);
  });
  await client.tasks.wait(TASK_ID);
  expect(clock.elapsed()).toBeLessThan(7 * MINUTE);
  expect(limit.refused()).toBe(0);
  expect(requests.length).toBeGreaterThan(100 * (clock.elapsed() / MINUTE));
  backlog.isOver = true;
  await Promise.all(loops);
});

test("a backlog of creates and account reads that never ends does not starve a retrieve", async () => {
  const limit = createRateLimit();
  const { client, clock } = createWorld((request) =>
    limit.count(request, () => {
      if (request.method === "POST") return accepted();
      return request.path.endsWith("balance") ? balance() : ok(task());
    }),
  );
  const backlog = { isOver: false };
  const loops = Array.from({ length: 250 }, async (_, index) => {
    while (!backlog.isOver) await (index % 2 ? client.account.balance() : client.tasks.create(SONG_REQUEST));
  });
  for (let round = 1; round <= 3; round++) {
    const before = clock.elapsed();
    await client.tasks.retrieve(TASK_ID);
    expect(clock.elapsed() - before).toBeLessThanOrEqual(MINUTE);
  }
  expect(limit.refused()).toBe(0);
  backlog.isOver = true;
  await Promise.all(loops);
});

test("thousands of waits share one timer", async () => {
  const clock = createTestClock();
  let [asleep, most] = [0, 0];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    most = Math.max(most, ++asleep);
    await clock.sleep(ms, signal).finally(() => asleep--);
  };
  const limit = createRateLimit();
  const { client } = createWorld(
    (request) => limit.count(request, () => ok(request.at >= MINUTE ? succeeded() : task())),
    { clock: { ...clock, sleep } },
  );
  await Promise.all(Array.from({ length: 2000 }, (_, index) => client.tasks.wait(String(index))));
  // One more while the one that was set before is being taken back.
  expect(most).toBeLessThanOrEqual(2);
});

test("of the tasks that wait, those are read first that are most likely over by what the others took", async () => {
  const submittedAt = new Map<string, number>();
  const limit = createRateLimit();
  const delays: number[] = [];
  const { client, clock } = createWorld((request) =>
    limit.count(request, () => {
      const taskId = request.path.split("/").at(-1) ?? "";
      if (request.method === "POST") {
        const id = `task-${submittedAt.size}`;
        submittedAt.set(id, request.at);
        return accepted({ task_id: id });
      }
      // All tasks take 200 seconds.
      const endedAt = (submittedAt.get(taskId) ?? 0) + 200_000;
      if (request.at < endedAt) return ok(task({ task_id: taskId }));
      delays.push(request.at - endedAt);
      return ok(succeeded({ task_id: taskId }));
    }),
  );
  const runs: Promise<unknown>[] = [];
  for (let begun = 0; begun < 300; begun++) {
    runs.push(client.tasks.run(SONG_REQUEST, { pollIntervalMs: 5000 }));
    await clock.sleep(2000);
  }
  await Promise.all(runs);
  // A hundred tasks wait at a time: read in turn, each would be read every 100 seconds, and found 50 seconds late.
  const later = delays.slice(100);
  expect(later.reduce((sum, delay) => sum + delay, 0) / later.length).toBeLessThan(15_000);
  expect(limit.refused()).toBe(0);
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
