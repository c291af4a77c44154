/** One process of a fleet: submits tasks, waits for them, and prints its requests and the statuses of its tasks. */

import { once } from "node:events";
import { Redis } from "ioredis";
import { redisPacer } from "../../src/databases/redis/index.js";
import { AsyncMusic } from "../../src/index.js";

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
  // A bare id has no known start, so the first poll is immediate.
  return (await client.tasks.wait(task_id, { pollIntervalMs: 1000 })).status;
};
// Wait until all members have loaded, so that they start together.
console.log("ready");
await once(process.stdin, "data");
const statuses = await Promise.all(Array.from({ length: tasks }, run));
console.log(JSON.stringify({ statuses, sent }));
redis.disconnect();
process.stdin.destroy();
