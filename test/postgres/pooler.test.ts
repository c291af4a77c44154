import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { postgresBudget, postgresBudgetSql, postgresJournal, postgresJournalSql } from "async-music/postgres";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { describeBudget } from "../support/describe-budget.js";
import { describeJournal } from "../support/describe-journal.js";
import { SONG_REQUEST } from "../support/responses.js";
import type { Cluster } from "./cluster.js";
import { connectBreakingPool, createCluster, planAlone } from "./connections.js";
import { Pooler } from "./pooler.js";

/** Fewer than the connections to the pooler, so that statements of one call come to the server on several connections. */
const SERVER_CONNECTIONS = 3;

let cluster: Cluster;
let pooler: Pooler;
let tables = 0;

beforeAll(async () => {
  cluster = await createCluster();
  pooler = await Pooler.start(cluster.folder, SERVER_CONNECTIONS);
});

afterAll(async () => {
  await pooler?.stop();
  await cluster?.remove();
});

const connectPool = () => connectBreakingPool(pooler.connection);

/** Empty tables of a journal and a budget. */
async function createTables() {
  const table = `journal_${tables}`;
  const budgetTable = `budget_${tables++}`;
  const pool = connectPool();
  await pool.query(postgresJournalSql({ table }));
  await pool.query(postgresBudgetSql({ table: budgetTable }));
  return { table, budgetTable };
}

describeJournal(async () => {
  const { table } = await createTables();
  return async () => postgresJournal(connectPool(), { table });
});

describeBudget(async () => {
  const { table, budgetTable } = await createTables();
  const pool = connectPool();
  return {
    budget: (options) => postgresBudget(pool, { ...options, table: budgetTable }),
    journal: () => postgresJournal(pool, { table }),
  };
});

test("each order that was planned in a transaction is created once, also if the server restarts during the requests", async () => {
  const { table, budgetTable } = await createTables();
  const keys = Array.from({ length: 20 }, (_, index) => `order-${index}`);
  const emulator = createEmulator();
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  let restart: Promise<void> | undefined;
  const connection = emulator.connection();
  const fetch: typeof globalThis.fetch = async (...request) => {
    restart ??= cluster.kill().then(() => cluster.start());
    await restart;
    return connection.fetch(...request);
  };

  /** As a process of its own. */
  const open = () => {
    const pool = connectPool();
    const journal = postgresJournal(pool, { table });
    const budget = postgresBudget(pool, {
      ...{ maxCredits: 10 * keys.length, per: "total", journal, table: budgetTable },
    });
    return { pool, journal, budget };
  };
  const processes = keys.map((key) => ({ key, ...open() }));
  for (const { key, pool, journal } of processes) await planAlone(pool, journal, key, SONG_REQUEST);
  const songs = await Promise.all(
    processes.map(({ key: journalKey, journal, budget }) => {
      const client = new AsyncMusic({ ...connection, fetch });
      return client.tasks.run(SONG_REQUEST, { journal, journalKey, budget, tenant: "acme" });
    }),
  );

  const { journal, budget } = open();
  expect(new Set(songs.map(({ task_id }) => task_id)).size).toBe(keys.length);
  expect(emulator.state().tasks).toHaveLength(keys.length);
  expect(await journal.planned()).toEqual([]);
  expect(await journal.open()).toEqual([]);
  expect(await budget.usage("acme")).toMatchObject({ spent: 10 * keys.length, reserved: 0 });
});
