import { setTimeout } from "node:timers/promises";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import {
  type PostgresClient,
  postgresBudget,
  postgresBudgetSql,
  postgresJournal,
  postgresJournalSql,
} from "async-music/postgres";
import { expect, onTestFinished, test } from "vitest";
import { all } from "../support/collect.js";
import { SONG_REQUEST } from "../support/responses.js";
import { connectBreakingPool, createCluster } from "./connections.js";

const ORDERS = 40;

/** The standby refuses writes for so long, in real milliseconds, as while the servers agree on the new primary. */
const READ_ONLY_MS = 500;

test("a failover to a synchronous standby loses no record, and each order is created once", async () => {
  const primary = await createCluster();
  onTestFinished(() => primary.remove());
  const first = connectBreakingPool(primary.connection);
  await first.query(postgresJournalSql());
  await first.query(postgresBudgetSql());
  const standby = await primary.addStandby();
  onTestFinished(() => standby.remove());
  const second = connectBreakingPool(standby.connection);

  let pool = first;
  const client: PostgresClient = { query: (text, values) => pool.query(text, values) };
  const failOver = async () => {
    await primary.kill();
    pool = second;
    await setTimeout(READ_ONLY_MS);
    standby.promote();
  };
  const emulator = createEmulator({ credits: 10 * ORDERS });
  onTestFinished(() => emulator[Symbol.asyncDispose]());
  const connection = emulator.connection();
  let posts = 0;
  let failedOver: Promise<void> | undefined;
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (input instanceof Request && input.method === "POST" && ++posts === ORDERS / 2)
      failedOver = failOver();
    return connection.fetch(input, init);
  };

  const open = (shared: PostgresClient) => {
    const journal = postgresJournal(shared);
    return { journal, budget: postgresBudget(shared, { maxCredits: 10 * ORDERS, per: "total", journal }) };
  };
  const requests = Array.from({ length: ORDERS }, () => SONG_REQUEST);
  const results = await all(
    new AsyncMusic({ ...connection, fetch }).tasks.runAll(requests, {
      ...open(client),
      ...{ journalKey: (_, index) => `order-${index}`, tenant: "acme" },
    }),
  );
  await failedOver;

  expect(results.flatMap((result) => ("error" in result ? [result.error] : []))).toEqual([]);
  expect([posts, emulator.state().tasks.length]).toEqual([ORDERS, ORDERS]);
  const { journal, budget } = open(second);
  const entries = await Promise.all(requests.map((_, index) => journal.get(`order-${index}`)));
  const recorded = entries.map((entry) =>
    entry?.state === "submitted" ? [entry.task_id, entry.status] : entry,
  );
  expect(recorded.sort()).toEqual(
    emulator
      .state()
      .tasks.map(({ task_id }) => [task_id, "success"])
      .sort(),
  );
  expect(await budget.usage("acme")).toMatchObject({ spent: 10 * ORDERS, reserved: 0 });
});
