/**
 * Settles a parked order of the fleet, and finishes it: `settle.ts JOURNAL_KEY TASK_ID`, or `none` instead of the ID if the
 * request created no task. Without arguments, it lists the open orders.
 */

import { AsyncMusic } from "async-music";
import { postgresJournal } from "async-music/postgres";
import { printOpen, settleByHand } from "../queues/by-hand.ts";
import { fulfilOrder } from "./fulfil-order.ts";
import { createPool, SETTLE_COMMAND } from "./settings.ts";

const [journalKey = "", outcome = ""] = process.argv.slice(2);
const pool = createPool();
const journal = postgresJournal(pool);

if (journalKey === "") await printOpen(journal, SETTLE_COMMAND);
else {
  const client = new AsyncMusic();
  await settleByHand(client, journal, journalKey, outcome);
  const name = journalKey.slice(0, journalKey.lastIndexOf("/"));
  const { rows } = await pool.query("SELECT name, description FROM example_orders WHERE name = $1", [name]);
  console.log(`${name}: ${await fulfilOrder(rows[0], client, pool)}`);
}
await pool.end();
