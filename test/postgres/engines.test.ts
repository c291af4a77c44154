import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { postgresJournalSql } from "async-music/postgres";
import { Pool } from "pg";
import { describe, test, vi } from "vitest";
import { FLEET_RUNS, runFleet, stopWorker } from "../support/fleet.js";
import { connection } from "./connections.js";

// Of one fleet per engine at a time: more need more connections than the server allows.
describe.each(FLEET_RUNS)("run %s", (run) => {
  test.concurrent.for(["pg-boss", "dbos"])(
    "a %s fleet creates one song per order while its workers are killed",
    async (engine, context) => {
      const databaseUrl = await createDatabase(`fleet_${engine.replace("-", "_")}_${run}`);
      const args = ["examples/postgres/fleet.ts", engine];
      const emulator = await runFleet(args, { DATABASE_URL: databaseUrl }, context);
      context.expect(emulator.audit()).toEqual([]);
    },
  );
});

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
    "CREATE TABLE example_orders (name text PRIMARY KEY, description text NOT NULL, ended text, ended_at timestamptz)",
  );

  for (const [name, { createEngine }] of [
    ["pg-boss", await import("../../examples/postgres/pg-boss.js")],
    ["dbos", await import("../../examples/postgres/dbos.js")],
  ] as const) {
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
    const worker = ["examples/postgres/worker.ts", name];
    const taskId = await stopWorker(worker, {}, (which) => order(`${name}-${which}`), {
      expect,
      onTestFinished,
    });
    const ends = "SELECT ended FROM example_orders WHERE name LIKE $1 ORDER BY name";
    expect((await pool.query(ends, [`${name}-%`])).rows).toEqual([{ ended: taskId }, { ended: null }]);
  }
});

test("the example of `plan` stores an order with its plan, and a later start runs what is left", async ({
  expect,
  onTestFinished,
}) => {
  const databaseUrl = await createDatabase("planning");
  const emulator = createEmulator();
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  const run = async (name: string, env: Readonly<Record<string, string>> = {}) => {
    const script = ["--import", "./tools/loader/run-sources.ts", "examples/postgres/plan.ts", name, "rain"];
    const service = { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey };
    const child = spawn(process.execPath, script, {
      env: { ...process.env, ...service, DATABASE_URL: databaseUrl, POLL_MS: "1000", ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const output = text(child.stdout);
    const [status] = await once(child, "exit");
    return { status, lines: (await output).trim().split("\n") };
  };

  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  expect(await run("order-1", { END_AFTER_COMMIT: "1" })).toEqual({ status: 1, lines: ["Stored order-1."] });
  expect(emulator.state().tasks).toEqual([]);
  const { status, lines } = await run("order-2");
  const ids = emulator.state().tasks.map(({ task_id }) => task_id);
  const created = ["Stored order-2.", `order-1: ${ids[0]}`, `order-2: ${ids[1]}`];
  expect([status, lines.slice(0, 3)]).toEqual([0, created]);
  expect(lines.slice(3).sort()).toEqual(["order-1: success", "order-2: success"]);
  // The name is taken: neither the order nor its plan is stored, and nothing is charged.
  expect((await run("order-2")).status).toBe(1);
  expect(emulator.state().tasks).toHaveLength(2);
  // A song in progress delays no other order, and so no cancellation either.
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 60, process_seconds: 0 });
  await run("order-3", { END_AFTER_COMMIT: "1" });
  // Two processes share the songs, and both end.
  const last = Promise.all([run("order-4"), run("order-5")]);
  await vi.waitFor(() => expect(emulator.state().tasks).toHaveLength(5), 60_000);
  await emulator.clock.advance(60_000);
  const runs = await last;
  expect(runs.map(({ status }) => status)).toEqual([0, 0]);
  const ends = runs.flatMap(({ lines }) => lines.filter((line) => line.endsWith(": success")));
  expect(ends.sort()).toEqual(["order-3: success", "order-4: success", "order-5: success"]);
});

async function createDatabase(name: string): Promise<string> {
  const pool = new Pool(connection());
  await pool.query(`CREATE DATABASE ${name}`);
  await pool.end();
  return `postgres://postgres@localhost/${name}?host=${encodeURIComponent(connection().host)}`;
}
