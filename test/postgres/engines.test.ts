import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { postgresJournalSql } from "async-music/postgres";
import { Pool } from "pg";
import { test, vi } from "vitest";
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

    const databaseUrl = await createDatabase(`fleet_${engine.replace("-", "_")}`);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "./scripts/run-sources.ts", "examples/postgres/fleet.ts", engine],
      {
        env: {
          ...process.env,
          ASYNC_MUSIC_BASE_URL: url,
          ASYNC_MUSIC_API_KEY: emulator.apiKey,
          DATABASE_URL: databaseUrl,
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

test("on SIGTERM, a worker of each engine finishes its song, takes no other, and exits with 0", async ({
  expect,
  onTestFinished,
}) => {
  const databaseUrl = await createDatabase("closing");
  // The examples read it when they are imported.
  vi.stubEnv("DATABASE_URL", databaseUrl);
  onTestFinished(() => void vi.unstubAllEnvs());
  const pool = new Pool({ connectionString: databaseUrl });
  onTestFinished(() => pool.end());
  await pool.query(postgresJournalSql());
  await pool.query(
    "CREATE TABLE example_orders (name text PRIMARY KEY, description text NOT NULL, ended text)",
  );

  for (const [name, { createEngine }] of [
    ["pg-boss", await import("../../examples/postgres/pg-boss.js")],
    ["dbos", await import("../../examples/postgres/dbos.js")],
  ] as const) {
    const emulator = createEmulator({ clock: "real" });
    emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 1, process_seconds: 4 });
    const { url, close } = await serve(emulator);
    onTestFinished(close);
    const engine = await createEngine();
    onTestFinished(() => engine.close());
    const order = async (order: string) => {
      const connection = await pool.connect();
      await connection.query("BEGIN");
      await connection.query("INSERT INTO example_orders (name, description) VALUES ($1, $1)", [order]);
      await engine.enqueue(connection, { name: order, description: order });
      await connection.query("COMMIT");
      connection.release();
    };

    await order(`${name}-first`);
    const script = ["--import", "./scripts/run-sources.ts", "examples/postgres/worker.ts", name];
    const service = { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey, POLL_MS: "1000" };
    const worker = spawn(process.execPath, script, { env: { ...process.env, ...service }, stdio: "inherit" });
    onTestFinished(() => void worker.kill("SIGKILL"));
    const ended = once(worker, "exit");
    await vi.waitUntil(() => emulator.state().tasks.length === 1, { timeout: 60_000 });
    worker.kill("SIGTERM");
    await setTimeout(1000);
    await order(`${name}-second`);
    expect([name, await ended]).toEqual([name, [0, null]]);

    const [task, ...others] = emulator.state().tasks;
    expect(others).toEqual([]);
    const ends = "SELECT ended FROM example_orders WHERE name LIKE $1 ORDER BY name";
    expect((await pool.query(ends, [`${name}-%`])).rows).toEqual([{ ended: task?.task_id }, { ended: null }]);
  }
});

async function createDatabase(name: string): Promise<string> {
  const pool = new Pool(connection());
  await pool.query(`CREATE DATABASE ${name}`);
  await pool.end();
  return `postgres://postgres@localhost/${name}?host=${encodeURIComponent(connection().host)}`;
}
