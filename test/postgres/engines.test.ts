import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { Pool } from "pg";
import { test } from "vitest";
import { connection } from "./connections.js";

test.concurrent.for(["pg-boss", "dbos"])(
  "a %s fleet loses no order and creates no duplicate while its workers are killed",
  async (engine, { expect, onTestFinished }) => {
    const emulator = createEmulator({ clock: "real" });
    emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 1, process_seconds: 2 });
    // Leaves time to kill a worker between a request and its response.
    emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "latency", ms: 500 } });
    const { url, close } = await serve(emulator);
    onTestFinished(close);

    const { host } = connection();
    const database = `fleet_${engine.replace("-", "_")}`;
    const pool = new Pool(connection());
    await pool.query(`CREATE DATABASE ${database}`);
    await pool.end();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "./scripts/run-sources.ts", "examples/postgres/fleet.ts", engine],
      {
        env: {
          ...process.env,
          ASYNC_MUSIC_BASE_URL: url,
          ASYNC_MUSIC_API_KEY: emulator.apiKey,
          DATABASE_URL: `postgres://postgres@localhost/${database}?host=${encodeURIComponent(host)}`,
          POLL_MS: "1000",
        },
      },
    );

    const ends = new Map([...stdout.matchAll(/^(\w+-\d+): (.*)$/gm)].map(([, name, end]) => [name, end]));
    expect([ends.size, stdout.includes("12 workers were killed")]).toEqual([13, true]);

    const { tasks, accounts } = emulator.state();
    const paidFor = tasks.map(({ input }) => input?.["gpt_description_prompt"]);
    expect(paidFor).toHaveLength(new Set(paidFor).size);
    // A worker that replaces a killed one polls at once.
    expect(emulator.audit().filter(({ rule }) => rule !== "polled_too_often")).toEqual([]);

    const songs = [...ends.values()].filter((end) => tasks.some(({ task_id }) => task_id === end));
    const unknown = [...ends.values()].filter((end) => end?.startsWith("SubmissionOutcomeUnknownError"));
    expect(songs.length + unknown.length).toBe(13);
    expect(new Set(songs).size).toBe(songs.length);
    // A worker that is killed before its response leaves an unknown outcome. The last order comes after all kills.
    expect(songs.length).toBeGreaterThan(0);
    expect(accounts[0]?.balance.total).toBe(
      1000 - 10 * tasks.filter(({ status }) => status === "success").length,
    );
  },
);
