/**
 * A process that runs orders of two tenants until its input closes, and may be killed. First it finishes the orders that the
 * processes with its name before it have left. It prints `begins` when it runs orders, and `ran` after each.
 */

import { Redis } from "ioredis";
import { Pool } from "pg";
import { AsyncMusicError, CreditCeilingError } from "../../src/index.js";
import { createFastClient } from "../postgres/fast-client.js";
import {
  type OrderStore,
  openPostgres,
  openRedis,
  orderOptions,
  recoverOrders,
} from "../support/budget-orders.js";

const [kind = "", address = "", baseUrl = "", apiKey = "", name = "", generation = ""] =
  process.argv.slice(2);
const { store, close } = kind === "redis" ? inRedis() : inPostgres();
const client = createFastClient(baseUrl, apiKey);

process.stdin.resume();

await untilDone(() => recoverOrders(client, store, baseUrl, `${name}-`));
process.stdout.write("begins\n");
await Promise.all(["a", "b", "c"].map(orderSongs));
await close();

async function orderSongs(line: string): Promise<void> {
  for (let number = 0; !process.stdin.readableEnded; number++) {
    const [request, options] = orderOptions(store, `${name}-${generation}${line}${number}`);
    try {
      await client.tasks.run(request, options);
    } catch (error) {
      if (!(error instanceof AsyncMusicError)) throw error;
      // The budget is exhausted, or the database was killed: the next process or the test finishes the order.
      if (error instanceof CreditCeilingError) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    process.stdout.write("ran\n");
  }
}

/** Tries again while the database restarts. */
async function untilDone(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function inPostgres(): { store: OrderStore; close: () => Promise<unknown> } {
  const pool = new Pool({ host: address, user: "postgres", database: "postgres", max: 4 });
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  return { store: openPostgres(pool), close: () => pool.end() };
}

function inRedis(): { store: OrderStore; close: () => Promise<unknown> } {
  const redis = new Redis({ path: address, commandTimeout: 2000, retryStrategy: () => 20 });
  redis.on("error", () => {});
  return { store: openRedis(redis), close: () => redis.quit() };
}
