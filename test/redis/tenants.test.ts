import { setTimeout } from "node:timers/promises";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { redisPacer } from "async-music/redis";
import { expect, test } from "vitest";
import { connectIoredis } from "./connections.js";

const LIMITS = { requests: 40, windowSeconds: 6 };
const SONG = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain in Lisbon" } } as const;

test("a tenant that has used up a window in one process leaves a request of it to the tenant of another process", async () => {
  await using emulator = createEmulator({ clock: "real", credits: 10_000, limits: LIMITS });
  const prefix = `tenants-${process.pid}`;
  const [first, second] = [1, 2].map(() => {
    const pacer = redisPacer(connectIoredis(), { prefix, ...LIMITS });
    return new AsyncMusic({ ...emulator.connection(), pacer });
  }) as [AsyncMusic, AsyncMusic];
  const crowd = Array.from({ length: 60 }, () => first.tasks.create(SONG, { tenant: "crowd" }));
  for (let seen = -1; seen < emulator.requests.length || seen < 30; await setTimeout(300))
    seen = emulator.requests.length;
  const { task_id } = await second.tasks.create(SONG, { tenant: "one" });
  // The first window of 40 requests has not ended.
  expect(emulator.requests.length).toBeLessThanOrEqual(LIMITS.requests);
  expect(emulator.requests.at(-1)).toMatchObject({ method: "POST", status: 202 });
  await Promise.all(crowd);
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  expect(emulator.state().tasks.map((task) => task.task_id)).toContain(task_id);
});

test("a tenant that had a song before is not held back by another one that waits in both processes", async () => {
  const limits = { requests: 40, windowSeconds: 60 };
  await using emulator = createEmulator({ clock: "real", credits: 10_000, limits });
  const prefix = `split-${process.pid}`;
  const [first, second] = [1, 2].map(() => {
    const pacer = redisPacer(connectIoredis(), { prefix, ...limits });
    return new AsyncMusic({ ...emulator.connection(), pacer });
  }) as [AsyncMusic, AsyncMusic];
  for (let count = 0; count < 3; count++) await second.tasks.create(SONG, { tenant: "one" });
  const stop = new AbortController();
  const crowd = [first, second].flatMap((client) =>
    Array.from({ length: 40 }, () =>
      client.tasks.create(SONG, { tenant: "crowd", signal: stop.signal }).catch(() => {}),
    ),
  );
  // Long enough for two reports of the processes about their tenants, which come every 2 s.
  for (let [seen, still] = [-1, 0]; still < 8; await setTimeout(600)) {
    still = seen === emulator.requests.length ? still + 1 : 0;
    seen = emulator.requests.length;
  }
  for (let count = 0; count < 3; count++) {
    const sent = emulator.requests.length;
    await second.tasks.create(SONG, { tenant: "one" });
    expect(emulator.requests.length - sent).toBe(1);
  }
  stop.abort();
  await Promise.all(crowd);
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
});
