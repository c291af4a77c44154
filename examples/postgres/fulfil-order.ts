import type { AsyncMusic } from "async-music";
import { postgresJournal } from "async-music/postgres";
import type { Pool } from "pg";
import { judge } from "../queues/judge.ts";
import { fulfil, type Order } from "../queues/order.ts";
import { pollMs, SETTLE_COMMAND, settleAfterMs } from "./settings.ts";

/** Creates the song of an order, and stores how it ended beside the order. */
export async function fulfilOrder(order: Order, client: AsyncMusic, pool: Pool): Promise<string> {
  const finish = (end: string) =>
    pool.query("UPDATE example_orders SET ended = $2, ended_at = now() WHERE name = $1", [order.name, end]);
  const recent = "SELECT name FROM example_orders WHERE ended_at IS NULL OR ended_at > $1";
  const orderNames = async (since: Date) =>
    (await pool.query(recent, [since])).rows.map(({ name }) => String(name));
  const journal = postgresJournal(pool);
  const means = { client, journal, orderNames, settleCommand: SETTLE_COMMAND, settleAfterMs };
  try {
    const { task_id } = await fulfil(order, { ...means, pollIntervalMs: pollMs });
    await finish(task_id);
    return task_id;
  } catch (error) {
    if (!judge(error).again) await finish(String(error));
    throw error;
  }
}
