/**
 * One worker of a fleet: `worker.ts ENGINE NAME`. If it ends, even with `kill -9`, the engine continues its orders, without a
 * duplicate charge. `fleet.ts` starts some; in production, your process manager does.
 */

import { AsyncMusic } from "async-music";
import { postgresJournal } from "async-music/postgres";
import { judge } from "../queues/judge.ts";
import { fulfil, type Order } from "../queues/order.ts";
import type { Engine } from "./engine.ts";
import { createPool, pollMs } from "./settings.ts";

const [engineName = "pg-boss", name = "worker"] = process.argv.slice(2);
const pool = createPool();
const journal = postgresJournal(pool);
const client = new AsyncMusic();

const { createEngine }: { createEngine(): Promise<Engine> } = await import(`./${engineName}.ts`);
const engine = await createEngine();
await engine.work(name, fulfilOrder);

// Takes no other order, and ends after its songs, so that no request is in flight. Let your process manager wait some minutes.
process.once("SIGTERM", async () => {
  await engine.close();
  process.exit();
});

/** Creates the song of an order, and stores how it ended beside the order. */
async function fulfilOrder(order: Order): Promise<string> {
  const finish = (end: string) =>
    pool.query("UPDATE example_orders SET ended = $2 WHERE name = $1", [order.name, end]);
  try {
    const { task_id } = await fulfil(order, { client, journal, pollIntervalMs: pollMs });
    await finish(task_id);
    return task_id;
  } catch (error) {
    if (!judge(error).again) await finish(String(error));
    throw error;
  }
}
