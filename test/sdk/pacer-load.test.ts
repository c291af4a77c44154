import type { AsyncMusic } from "async-music";
import { expect, test } from "vitest";
import { MemoryPacer } from "../../src/rate-limit/memory-pacer.js";
import { unwatch } from "../lifecycle/begun.js";
import { createLimitedWorld } from "../support/limited-service.js";
import {
  accepted,
  acceptedAnew,
  balance,
  failed,
  ok,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { createTestClock, START } from "../support/test-clock.js";

// The pacer under load: hundreds of calls and thousands of waits share one budget.

const MINUTE = 60_000;

test.each([
  [30, 30_000],
  [120, 90_000],
  [120, 300_000],
])("a window of %i requests in %i ms is learned, and then kept", async (perWindow, windowMs) => {
  const { client, clock, refused } = createLimitedWorld(
    () => balance(),
    { requests: perWindow, windowMs },
    { retryBudgetMs: 1e9 },
  );
  for (let elapsed = 0; elapsed < 2 * windowMs; elapsed += windowMs / 20) {
    await client.account.balance();
    await clock.sleep(windowMs / 20);
  }
  const before = clock.elapsed();
  await Promise.all(Array.from({ length: 10 * perWindow }, () => client.account.balance()));
  expect(refused()).toBeLessThanOrEqual(5);
  expect(clock.elapsed() - before).toBeLessThanOrEqual(11 * windowMs);
});

test("a thousand waiting tasks under 120 requests a minute get no 429, and none is starved", async () => {
  const pollsByTask = new Map<string, number[]>();
  const { client, clock, refused } = createLimitedWorld((request) => {
    const taskId = taskIdIn(request);
    const polls = pollsByTask.get(taskId) ?? [];
    pollsByTask.set(taskId, [...polls, request.at]);
    const fields = { task_id: taskId };
    // Every tenth task takes a quarter of an hour, the others two minutes.
    const doneAt = Number(taskId) % 10 === 0 ? 15 * MINUTE : 2 * MINUTE;
    return ok(request.at >= doneAt ? succeeded(fields) : task(fields));
  });
  const waits = Array.from({ length: 1000 }, (_, index) => client.tasks.wait(String(index)));
  await Promise.all(waits);
  expect(refused()).toBe(0);
  for (const polls of pollsByTask.values()) {
    expect(polls[0]).toBeLessThan(15 * MINUTE);
    for (const [index, at] of polls.entries())
      expect(at - (polls[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(1000);
  }
  expect(clock.elapsed()).toBeLessThan(40 * MINUTE);
});

test("a create and a balance request are sent before a thousand queued polls", async () => {
  const { client, clock, refused } = createLimitedWorld((request) => {
    if (request.method === "POST") return acceptedAnew();
    if (request.path.endsWith("balance")) return balance();
    return ok((request.at >= 20 * MINUTE ? succeeded : task)({ task_id: taskIdIn(request) }));
  });
  const waits = Array.from({ length: 1000 }, (_, index) => client.tasks.wait(String(index)));
  await clock.sleep(30_000);
  const before = clock.elapsed();
  await Promise.all([client.tasks.create(SONG_REQUEST), client.account.balance()]);
  expect(clock.elapsed() - before).toBeLessThan(1000);
  expect(refused()).toBe(0);
  await Promise.all(waits);
});

test.each([
  ["account reads", (client: AsyncMusic) => client.account.balance()],
  ["creates", (client: AsyncMusic) => client.tasks.create(SONG_REQUEST)],
] as const)("an endless backlog of %s and a wait do not starve each other", async (_, send) => {
  const { client, clock, requests, refused } = createLimitedWorld((request) => {
    if (request.method === "POST") return acceptedAnew();
    if (request.path.endsWith("balance")) return balance();
    return ok(request.at >= 2 * MINUTE ? succeeded() : task());
  });
  const backlog = { isOver: false };
  const loops = Array.from({ length: 250 }, async () => {
    while (!backlog.isOver) await send(client);
  });
  await client.tasks.wait(TASK_ID);
  expect(clock.elapsed()).toBeLessThan(7 * MINUTE);
  expect(refused()).toBe(0);
  expect(requests.length).toBeGreaterThan(100 * (clock.elapsed() / MINUTE));
  backlog.isOver = true;
  await Promise.all(loops);
});

test("an endless backlog of creates and account reads does not starve a retrieve", async () => {
  const { client, clock, refused } = createLimitedWorld((request) => {
    if (request.method === "POST") return acceptedAnew();
    return request.path.endsWith("balance") ? balance() : ok(task());
  });
  const backlog = { isOver: false };
  const loops = Array.from({ length: 250 }, async (_, index) => {
    while (!backlog.isOver) await (index % 2 ? client.account.balance() : client.tasks.create(SONG_REQUEST));
  });
  for (let round = 1; round <= 3; round++) {
    const before = clock.elapsed();
    await client.tasks.retrieve(TASK_ID);
    expect(clock.elapsed() - before).toBeLessThanOrEqual(MINUTE);
  }
  expect(refused()).toBe(0);
  backlog.isOver = true;
  await Promise.all(loops);
});

test.each([
  ["alone", 0],
  ["beside a thousand younger tasks", 1000],
])(
  "a hundred songs that end two minutes before their task timeout are found in time, %s",
  async (_, younger) => {
    const { client, clock, refused } = createLimitedWorld((request) => {
      const task_id = taskIdIn(request);
      const beganAt = task_id.startsWith("song") ? -52 * MINUTE : 0;
      const ageMs = request.at - beganAt;
      const fields = { task_id, created_at: new Date(START + beganAt).toISOString() };
      if (ageMs > 60 * MINUTE) return ok(failed({ ...fields, status: "timeout" }));
      return ok((ageMs >= 58 * MINUTE ? succeeded : task)(fields));
    });
    const waitsFor = (name: string, count: number, signal?: AbortSignal) =>
      Array.from({ length: count }, (_, index) => client.tasks.wait(`${name}${index}`, { signal }));
    const songs = waitsFor("song", 100);
    await clock.sleep(2 * MINUTE);
    const controller = new AbortController();
    const others = Promise.allSettled(waitsFor("other", younger, controller.signal));
    await Promise.all(songs);
    expect(refused()).toBe(0);
    controller.abort();
    await others;
  },
);

test("songs that seem older than the task timeout, by a wrong clock, take turns", async () => {
  const { client, clock, refused } = createLimitedWorld((request) => {
    const task_id = taskIdIn(request);
    const createdAt = START - 2 * 60 * MINUTE + 100 * Number(task_id);
    const fields = { task_id, created_at: new Date(createdAt).toISOString() };
    const takesMs = (Number(task_id) < 130 ? 10 : 3) * MINUTE;
    return ok((request.at >= takesMs ? succeeded : task)(fields));
  });
  const waits = Array.from({ length: 300 }, (_, index) => client.tasks.wait(String(index)));
  await Promise.all(waits.slice(130));
  expect(clock.elapsed()).toBeLessThan(6 * MINUTE);
  expect(refused()).toBe(0);
  await Promise.all(waits);
});

test("thousands of waits share one timer", async () => {
  const clock = createTestClock();
  let [asleep, most] = [0, 0];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    most = Math.max(most, ++asleep);
    await clock.sleep(ms, signal).finally(() => asleep--);
  };
  const { client } = createLimitedWorld(
    (request) => ok((request.at >= MINUTE ? succeeded : task)({ task_id: taskIdIn(request) })),
    {},
    { clock: { ...clock, sleep } },
  );
  await Promise.all(Array.from({ length: 2000 }, (_, index) => client.tasks.wait(String(index))));
  // Allows a few more while earlier timers are being canceled.
  expect(most).toBeLessThanOrEqual(10);
});

test("the tasks that are most likely finished, by the durations of earlier ones, are polled first", async () => {
  const submittedAt = new Map<string, number>();
  const delays: number[] = [];
  const { client, clock, refused } = createLimitedWorld((request) => {
    const taskId = taskIdIn(request);
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
  });
  const runs: Promise<unknown>[] = [];
  for (let begun = 0; begun < 300; begun++) {
    runs.push(client.tasks.run(SONG_REQUEST, { pollIntervalMs: 5000 }));
    await clock.sleep(2000);
  }
  await Promise.all(runs);
  // 100 tasks wait at once: polled in turn, each is polled every 100 s and found 50 s late on average.
  const later = delays.slice(100);
  expect(later.reduce((sum, delay) => sum + delay, 0) / later.length).toBeLessThan(15_000);
  expect(refused()).toBe(0);
});

test.each(["no", "20,000"])("queueing 20,000 creates of %s tenants takes linear time", (tenants) => {
  unwatch();
  const pacer = new MemoryPacer(createTestClock({ skips: false }));
  const before = process.cpuUsage();
  for (let create = 0; create < 20_000; create++)
    void pacer.admit({ kind: "create", tenant: tenants === "no" ? undefined : String(create) });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});
