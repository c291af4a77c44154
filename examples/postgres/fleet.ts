/**
 * A fleet of three workers on pg-boss or DBOS, one of which is killed again and again while orders come in. It needs a
 * PostgreSQL database, in which it creates tables, and `npm install async-music pg pg-boss@12`, or `pg @dbos-inc/dbos-sdk`.
 *
 * Run it with `DATABASE_URL=postgres://… npx node examples/postgres/fleet.ts pg-boss`, or with `dbos`.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { postgresJournal, postgresJournalSql } from "async-music/postgres";
import { printOpen } from "../queues/by-hand.ts";
import type { Engine } from "./engine.ts";
import { createPool, SETTLE_COMMAND } from "./settings.ts";

const WORKERS = 3;
const KILLS = 12;
const [engineName = "pg-boss"] = process.argv.slice(2);

// The emulator on a port, unless there is a key for the service.
if (!process.env["ASYNC_MUSIC_API_KEY"]) {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ queue_seconds: 1, process_seconds: 3 });
  const { url } = await serve(emulator);
  Object.assign(process.env, { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey });
}

const pool = createPool();
await pool.query(postgresJournalSql());
await pool.query(
  "CREATE TABLE IF NOT EXISTS example_orders (name text PRIMARY KEY, description text NOT NULL, ended text, ended_at timestamptz)",
);
const { createEngine }: { createEngine(): Promise<Engine> } = await import(`./${engineName}.ts`);
const engine = await createEngine();

const run = Date.now().toString(36);
const workers: ChildProcess[] = Array.from({ length: WORKERS }, (_, entry) => startWorker(entry));
process.once("exit", () => {
  for (const worker of workers) worker.kill("SIGKILL");
});
for (let kill = 0; kill < KILLS; kill++) {
  await setTimeout(700);
  await order(kill);
  // Its job may be running.
  await setTimeout(300);
  const entry = kill % WORKERS;
  workers[entry]?.kill("SIGKILL");
  workers[entry] = startWorker(entry);
}
await order(KILLS);
console.log(`${KILLS} workers were killed.`);
const endsOf = "SELECT name, ended FROM example_orders WHERE name LIKE $1 AND ended IS NOT NULL";
let ends: { name: string; ended: string }[] = [];
while (ends.length <= KILLS) {
  await setTimeout(200);
  ends = (await pool.query(endsOf, [`${run}-%`])).rows;
}
for (const { name, ended } of ends) console.log(`${name}: ${ended}`);
await printOpen(postgresJournal(pool), SETTLE_COMMAND);

process.exit();

/** Stores an order and queues it, both or neither. */
async function order(number: number): Promise<void> {
  const name = `${run}-${number}`;
  const description = `rain in Lisbon, number ${number}`;
  const connection = await pool.connect();
  try {
    await connection.query("BEGIN");
    await connection.query("INSERT INTO example_orders (name, description) VALUES ($1, $2)", [
      name,
      description,
    ]);
    await engine.enqueue(connection, { name, description });
    await connection.query("COMMIT");
  } finally {
    connection.release();
  }
}

function startWorker(entry: number): ChildProcess {
  const script = fileURLToPath(new URL("worker.ts", import.meta.url));
  const parameters = [engineName, `worker-${entry}`];
  return spawn(process.execPath, [...process.execArgv, script, ...parameters], { stdio: "inherit" });
}
