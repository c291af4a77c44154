import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { redisPacer } from "async-music/redis";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectIoredis } from "./connections.js";

// Each process of a fleet records in Redis the number of tasks it waits for. Old records are removed.

const DAY_MS = 86_400_000;

test("a process whose clock is days ahead does not remove the records of the others", async () => {
  const redis = connectIoredis();
  const prefix = `weights-${process.pid}`;
  await using emulator = createEmulator({ clock: "real", credits: 1000 });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  const systemNow = Date.now.bind(Date);
  onTestFinished(() => void vi.restoreAllMocks());
  const run = async (aheadMs: number) => {
    vi.spyOn(Date, "now").mockImplementation(() => systemNow() + aheadMs);
    const { clock } = emulator.connection();
    const shifted = {
      now: () => clock.now() + aheadMs,
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    };
    const pacer = redisPacer(redis, { prefix });
    const client = new AsyncMusic({ ...emulator.connection(), clock: shifted, pacer });
    const input = { prompt: "rain in Lisbon" };
    await client.tasks.run({ model: "provider_a", task_type: "lyrics", input }, { pollIntervalMs: 1000 });
  };
  for (const aheadMs of [0, 5 * DAY_MS, -5 * DAY_MS]) await run(aheadMs);

  const keys = await redis.keys(`*${prefix}*:waiting`);
  expect(keys).toHaveLength(1);
  const records = Object.values(await redis.hgetall(keys[0] ?? ""));
  expect(records).toHaveLength(3);
  const [seconds] = await redis.time();
  for (const record of records)
    expect(Math.abs(Number(seconds) - Number(record.split(/[ /]/)[1]))).toBeLessThan(3600);
});
