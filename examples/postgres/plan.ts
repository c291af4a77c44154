/**
 * Stores an order and plans its song in one transaction, then creates the song. If the process ends in between, the next start
 * creates it. It needs a PostgreSQL database, in which it creates two tables, and `npm install async-music pg`.
 *
 * Run it with `DATABASE_URL=postgres://… npx node examples/postgres/plan.ts order-1 "rain in Lisbon"`.
 */

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

// Also the orders of a process that ended after its COMMIT. Let one process do this at a time: two would read each task too often.
for (const { key, request } of await journal.planned()) {
  try {
    const song = await client.tasks.run(request, { journal, journalKey: key });
    console.log(`${key}: ${song.task_id}`);
  } catch (error) {
    // It must not stop the orders after it.
    console.error(`${key}:`, error);
  }
}
await pool.end();

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
