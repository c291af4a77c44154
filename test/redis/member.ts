/** One process of a fleet: submits tasks and waits for them, and says what it has sent and how its tasks ended. */

import { once } from "node:events";
import { Redis } from "ioredis";
import { AsyncMusic } from "../../src/index.js";
import { redisPacer } from "../../src/redis/index.js";

const { REDIS_SOCKET = "", FLEET = "{}" } = process.env;
const { tasks, ...options } = JSON.parse(FLEET);
const redis = new Redis({ path: REDIS_SOCKET });
const client = new AsyncMusic({ pacer: redisPacer(redis, options) });
let sent = 0;
client.on("attempt", () => {
  sent++;
});

const run = async () => {
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain in Lisbon" } } as const;
  const { task_id } = await client.tasks.create(request);
  // A bare id: nothing is known of how long it takes, so that it is read at once.
  return (await client.tasks.wait(task_id, { pollIntervalMs: 1000 })).status;
};
// Who has loaded waits for the others: how long that takes is the machine's affair.
console.log("ready");
await once(process.stdin, "data");
const statuses = await Promise.all(Array.from({ length: tasks }, run));
console.log(JSON.stringify({ statuses, sent }));
redis.disconnect();
process.stdin.destroy();
