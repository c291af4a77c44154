import { postgresJournal, postgresJournalSql } from "async-music/postgres";
import { expect, test } from "vitest";
import { statementsOf } from "../../src/databases/postgres/table.js";
import { journalEntry } from "../support/journals.js";
import { killRelays, RELAY_SOURCES, startRelay } from "../support/relay-fleet.js";
import { connection, connectPool, createTable } from "./connections.js";

const CLOSED_ROWS = 100_000;

test("relays of a journal in PostgreSQL are killed ten times, and each end is delivered", async () => {
  const pool = connectPool();
  const { host, user } = connection();
  const database = `relay_${process.pid}`;
  await pool.query(`CREATE DATABASE ${database}`);
  const own = connectPool({ database });
  await own.query(postgresJournalSql());
  const place = `postgres://${user}@/${database}?host=${encodeURIComponent(host)}`;
  await killRelays(postgresJournal(own), 10, ([url = "", key = "", ...rest]) =>
    startRelay([...RELAY_SOURCES, url, key, place, ...rest]),
  );
});

test("the list reads two partial indexes, however many keys are closed", async () => {
  const table = await createTable();
  const pool = connectPool();
  const journal = postgresJournal(pool, { table });
  const at = new Date().toISOString();
  const closed = journalEntry("submitted", { at, status: "success", acknowledged: true });
  await pool.query(
    `INSERT INTO ${table} SELECT 'hash-' || n, 'key-' || n, 'closed', 'revision-submitted', $1::json
     FROM generate_series(1, $2::int) n`,
    [JSON.stringify(closed), CLOSED_ROWS],
  );
  await journal.put("running", journalEntry("submitted", { at }), null);
  await journal.put("ended", journalEntry("submitted", { at, status: "failure", acknowledged: false }), null);
  await pool.query(`ANALYZE ${table}`);
  expect((await journal.unacknowledged(new Date(0))).map(({ key }) => key)).toEqual(["ended", "running"]);
  const { unacknowledged } = statementsOf(table);
  const { rows } = await pool.query(`EXPLAIN ANALYZE ${unacknowledged}`, [0]);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain(`${table}_open`);
  expect(plan).toContain(`${table}_ends`);
  expect(plan).not.toContain("Seq Scan");
});

test("a table without the index works, and the SQL adds the index to it", async () => {
  const table = await createTable();
  const pool = connectPool();
  const indexes = async () => {
    const { rows } = await pool.query("SELECT indexname FROM pg_indexes WHERE tablename = $1 ORDER BY 1", [
      table,
    ]);
    return rows.map(({ indexname }) => indexname);
  };
  const all = await indexes();
  await pool.query(`DROP INDEX ${table}_ends`);
  const journal = postgresJournal(pool, { table });
  const ended = journalEntry("submitted", { status: "success", acknowledged: false });
  await journal.put("ended", ended, null);
  expect((await journal.unacknowledged()).map(({ key }) => key)).toEqual(["ended"]);
  await pool.query(postgresJournalSql({ table }));
  expect(await indexes()).toEqual(all);
  expect((await journal.unacknowledged()).map(({ key }) => key)).toEqual(["ended"]);
});
