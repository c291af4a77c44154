import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { Queue } from "bullmq";
import { expect, onTestFinished, test, vi } from "vitest";
import { redisSocket } from "./connections.js";

test("a BullMQ fleet loses no song and creates no duplicate while its workers are killed", async () => {
  // The seed selects a separate API key, and therefore a separate budget.
  const emulator = createEmulator({ clock: "real", seed: process.pid });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 1, process_seconds: 2 });
  // Leaves time to kill a worker between a request and its response.
  emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "latency", ms: 500 } });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "./scripts/run-sources.ts", "examples/queues/fleet.ts"],
    {
      env: {
        ...process.env,
        ASYNC_MUSIC_BASE_URL: url,
        ASYNC_MUSIC_API_KEY: emulator.apiKey,
        REDIS_URL: redisSocket(),
        LOCK_MS: "3000",
        POLL_MS: "1000",
      },
    },
  );

  const ends = new Map([...stdout.matchAll(/^(order-\S+): (.*)$/gm)].map(([, name, end]) => [name, end]));
  const { tasks, accounts } = emulator.state();
  expect([ends.size, stdout.includes("12 workers were killed")]).toEqual([13, true]);

  const paidFor = tasks.map(({ input }) => input?.["gpt_description_prompt"]);
  expect(paidFor).toHaveLength(new Set(paidFor).size);
  expect(emulator.audit()).toEqual([]);
  expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);

  const songs = [...ends.values()].filter((end) => tasks.some(({ task_id }) => task_id === end));
  const unknown = [...ends.values()].filter((end) => end?.startsWith("SubmissionOutcomeUnknownError"));
  expect(songs.length + unknown.length).toBe(13);
  expect(new Set(songs).size).toBe(songs.length);
  // A worker that is killed before its response leaves an unknown outcome. The last order comes after all kills.
  expect(songs.length).toBeGreaterThan(0);
  expect(accounts[0]?.balance.total).toBe(
    1000 - 10 * tasks.filter(({ status }) => status === "success").length,
  );
});

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
  const script = ["--import", "./scripts/run-sources.ts", "examples/queues/worker.ts"];
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
