/**
 * One worker of a fleet: `worker.ts ENGINE NAME`. If it ends, even with `kill -9`, the engine continues its orders, without a
 * duplicate charge. `fleet.ts` starts some; in production, your process manager does.
 */

import { AsyncMusic } from "async-music";
import type { Engine } from "./engine.ts";
import { fulfilOrder } from "./fulfil-order.ts";
import { createPool } from "./settings.ts";

const [engineName = "pg-boss", name = "worker"] = process.argv.slice(2);
const pool = createPool();
const client = new AsyncMusic();

const { createEngine }: { createEngine(): Promise<Engine> } = await import(`./${engineName}.ts`);
const engine = await createEngine();
await engine.work(name, (order) => fulfilOrder(order, client, pool));

// Takes no other order, and ends after its songs, so that no request is in flight. Let your process manager wait some minutes.
process.once("SIGTERM", async () => {
  await engine.close();
  process.exit();
});
