/**
 * Stores an order and plans its song in one transaction, then creates the song, and waits for it. If the process ends in between,
 * the next start continues. It needs a PostgreSQL database, in which it creates two tables, and `npm install async-music pg`.
 *
 * Run it with `DATABASE_URL=postgres://… npx node examples/postgres/plan.ts order-1 "rain in Lisbon"`.
 */

import { setTimeout } from "node:timers/promises";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { postgresJournal, postgresJournalSql } from "async-music/postgres";
import { createPool } from "./settings.ts";

const [name = `order-${Date.now()}`, description = "rain in Lisbon"] = process.argv.slice(2);
// The emulator, unless there is a key for the service.
const client = process.env["ASYNC_MUSIC_API_KEY"]
  ? new AsyncMusic()
  : new AsyncMusic(createEmulator().connection());

const pool = createPool();
const journal = postgresJournal(pool);
// In production: in your migrations.
await pool.query(postgresJournalSql());
await pool.query(
  "CREATE TABLE IF NOT EXISTS planned_orders (name text PRIMARY KEY, description text NOT NULL)",
);

await storeOrder();
console.log(`Stored ${name}.`);
if (process.env["END_AFTER_COMMIT"]) process.exit(1); // as a crash would

// Also the orders of a process that ended after its COMMIT.
for (const { key, request } of await journal.planned()) {
  try {
    const { task_id } = await client.tasks.create(request, { journal, journalKey: key, probe: true });
    console.log(`${key}: ${task_id}`);
  } catch (error) {
    // It must not stop the orders after it.
    console.error(`${key}:`, error);
  }
}

// Also the songs of a process that ended before they did.
const stop = new AbortController();
const ended = untilAllEnded().finally(() => stop.abort());
try {
  for await (const { key, task, error } of client.tasks.follow(journal, { signal: stop.signal })) {
    if (task) console.log(`${key}: ${task.status}`);
    else console.error(`${key}:`, error);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
await ended;
await pool.end();

/** A worker continues. Here, the process ends once every end is acknowledged, by this process or another one. */
async function untilAllEnded(): Promise<void> {
  // `follow` delivers no older order.
  const since = new Date(Date.now() - 7 * 24 * 3_600_000);
  while ((await journal.unacknowledged(since)).length > 0) await setTimeout(1000);
}

/** Stores the order and plans its song, both or neither. */
async function storeOrder(): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query("BEGIN");
    await connection.query("INSERT INTO planned_orders (name, description) VALUES ($1, $2)", [
      name,
      description,
    ]);
    await journal.plan(connection, name, {
      model: "provider_a",
      task_type: "music",
      input: { gpt_description_prompt: description },
    });
    await connection.query("COMMIT");
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  } finally {
    connection.release();
  }
}
