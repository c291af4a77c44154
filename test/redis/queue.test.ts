import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { Queue } from "bullmq";
import { expect, onTestFinished, test, vi } from "vitest";
import { FLEET_RUNS, runFleet } from "../support/fleet.js";
import { redisSocket } from "./connections.js";

test.for(FLEET_RUNS)(
  "a BullMQ fleet creates one song per order while its workers are killed (run %s)",
  async (run, context) => {
    const env = { REDIS_URL: redisSocket(), LOCK_MS: "3000", QUEUE: `songs-${run}` };
    const emulator = await runFleet(["examples/queues/fleet.ts"], env, context);
    expect(emulator.audit()).toEqual([]);
    expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  },
);

test("on SIGTERM, a BullMQ worker finishes its song, takes no other, and exits with 0", async () => {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 1, process_seconds: 4 });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  const connection = { path: redisSocket() };
  const queue = new Queue("songs", { connection });
  onTestFinished(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
  });
  const add = (name: string) => queue.add("song", { name, description: name }, { jobId: name });

  await add("order-first");
  const script = ["--import", "./tools/loader/run-sources.ts", "examples/queues/worker.ts"];
  const settings = { REDIS_URL: connection.path, POLL_MS: "1000" };
  const service = { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey };
  const worker = spawn(process.execPath, script, {
    env: { ...process.env, ...service, ...settings },
    stdio: "inherit",
  });
  onTestFinished(() => void worker.kill("SIGKILL"));
  const ended = once(worker, "exit");
  await vi.waitUntil(() => emulator.state().tasks.length === 1, { timeout: 60_000 });
  worker.kill("SIGTERM");
  await setTimeout(1000);
  await add("order-second");
  expect(await ended).toEqual([0, null]);

  const [task, ...others] = emulator.state().tasks;
  expect([(await queue.getJob("order-first"))?.returnvalue, others]).toEqual([task?.task_id, []]);
  expect(await queue.getJobState("order-second")).toBe("waiting");
});
