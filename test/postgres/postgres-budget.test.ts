import { type Journal, JournalError, memoryJournal, settleOutcome } from "async-music";
import {
  type PostgresClient,
  postgresBudget,
  postgresBudgetSql,
  postgresJournal,
} from "async-music/postgres";
import type { Pool } from "pg";
import { describe, expect, test, vi } from "vitest";
import { isFreed } from "../../src/journal/entries.js";
import { leftOpen } from "../lifecycle/begun.js";
import { describeBudget } from "../support/describe-budget.js";
import { posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST, serveAnew } from "../support/responses.js";
import { createWorld } from "../support/world.js";
import { connectClient, connectPool, createTable } from "./connections.js";

let tables = 0;

describe.each(["one pool", "a pool for each"])("with %s", (which) => {
  describeBudget(async () => {
    const table = `budget_${process.pid}_${tables++}`;
    const pool = connectPool();
    await pool.query(postgresBudgetSql({ table }));
    const journalTable = await createTable();
    const other = which === "one pool" ? pool : connectPool();
    return {
      budget: (options) => postgresBudget(pool, { ...options, table }),
      journal: () => postgresJournal(other, { table: journalTable }),
    };
  });
});

/** A budget of 10 credits, the price of one song, and its table. */
async function createSmall(client: (pool: Pool) => PostgresClient = (pool) => pool) {
  const table = `budget_${process.pid}_${tables++}`;
  const pool = connectPool();
  await pool.query(postgresBudgetSql({ table }));
  const shared = client(pool);
  const ofJournal = { table: await createTable() };
  const journal = postgresJournal(shared, ofJournal);
  const budget = postgresBudget(shared, { maxCredits: 10, per: "total", table });
  /** The journal of another process. */
  const other = postgresJournal(pool, ofJournal);
  return { table, journalTable: ofJournal.table, pool, journal, budget, other };
}

test("without the tables of the budget, the error names them, not the journal's, and nothing is sent", async () => {
  const { journal, pool } = await createSmall();
  const table = `missing_${process.pid}`;
  const budget = postgresBudget(pool, { maxCredits: 10, per: "total", table });
  const { client, requests } = createWorld(serveAnew);
  const run = () =>
    client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: "order-1" });
  const error = await rejection(run(), JournalError);
  expect(error.message).toContain(`relation "${table}_charges" does not exist`);
  expect(error.message).not.toContain("restore it");
  expect(requests).toEqual([]);
  await pool.query(postgresBudgetSql({ table }));
  await run();
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});

test.each(["the row of the tenant", "the entry"])(
  "a run that waits too long for %s names what is locked, and sends nothing",
  async (which) => {
    const { table, journalTable, pool, journal, budget } = await createSmall();
    await pool.query(`INSERT INTO ${table} (tenant, period) VALUES ('acme', 'total')`);
    const { client, requests } = createWorld(serveAnew);
    const run = () =>
      client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: "order-1" });
    const lock = await connectClient();
    await lock.query("BEGIN");
    if (which === "the entry") await journal.plan(lock, "order-1", SONG_REQUEST);
    else await lock.query(`SELECT FROM ${table} FOR UPDATE`);
    const { message } = await rejection(run(), JournalError);
    expect(message).toContain(
      `Another transaction has locked the entry or the row of tenant "acme" in ${table}`,
    );
    expect(message).toContain(`relation "${which === "the entry" ? journalTable : table}"`);
    expect(requests).toEqual([]);
    await lock.query("COMMIT");
    await run();
    expect(posts({ requests })).toHaveLength(1);
    expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
    // The first run still removes its intent, with pauses: the pool must not end before that.
    const removals = () => leftOpen().filter((begun) => begun.includes("Slot.free"));
    let quiet = 0;
    const isQuiet = () => {
      quiet = removals().length === 0 ? quiet + 1 : 0;
      expect(quiet).toBeGreaterThan(5);
    };
    await vi.waitFor(isQuiet, { timeout: 60_000, interval: 50 });
  },
);

test("a run that waits for the row while another run resumes its reservation is not refused", async () => {
  const { table, pool, budget } = await createSmall();
  await pool.query(`INSERT INTO ${table} (tenant, period) VALUES ('acme', 'total')`);
  const lock = await connectClient();
  await lock.query("BEGIN");
  await lock.query(`SELECT FROM ${table} FOR UPDATE`);
  const untilWaiting = (count: number) =>
    vi.waitFor(async () => {
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1";
      expect((await pool.query(waiting, [`%"${table}"%`])).rowCount).toBe(count);
    });

  const { client, requests } = createWorld(serveAnew);
  const stored = memoryJournal();
  const run = (journal: Journal) =>
    client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: "order-1" });
  let second: Promise<unknown> | undefined;
  const first = run({
    ...stored,
    async put(...values) {
      const isPut = await stored.put(...values);
      if (second === undefined) {
        second = run({ ...stored });
        await untilWaiting(1);
      }
      return isPut;
    },
  });
  await untilWaiting(2);
  await lock.query("COMMIT");
  await Promise.all([first, second]);
  expect(posts({ requests })).toHaveLength(1);
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});

test("an intent that was freed before its lost response is repeated is not sent under", async () => {
  let isFirst = true;
  // The response of the first try is lost. Then the key is settled, and the client of the database tries again.
  const losing = (pool: Pool): PostgresClient => ({
    async query(text: string, values: unknown[]) {
      const response = await pool.query(text, values);
      if (!isFirst || !/held AS/.test(text)) return response;
      isFirst = false;
      await settleOutcome(other, "order-1", null);
      return pool.query(text, values);
    },
  });
  const { journal, budget, other } = await createSmall(losing);
  const states: (boolean | null)[] = [];
  const { client } = createWorld(async (request) => {
    const entry = await journal.get("order-1");
    if (request.method === "POST") states.push(entry && isFreed(entry));
    return serveAnew(request);
  });
  await client.tasks.run(SONG_REQUEST, { tenant: "acme", budget, journal, journalKey: "order-1" });
  expect(states).toEqual([false]);
  expect(await budget.usage("acme")).toMatchObject({ spent: 10, reserved: 0 });
});
