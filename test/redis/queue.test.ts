import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test } from "vitest";
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
