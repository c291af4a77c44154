/**
 * A fleet of three workers on one queue, one of which is killed again and again while orders come in. It needs Redis,
 * and `npm install async-music bullmq ioredis`.
 *
 * Run it with `REDIS_URL=redis://127.0.0.1:6379 npx node examples/queues/fleet.ts`.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { redisJournal } from "async-music/redis";
import { type Job, Queue } from "bullmq";
import { Redis } from "ioredis";
import { printOpen } from "./by-hand.ts";
import type { Order } from "./order.ts";
import { QUEUE, redisUrl, SETTLE_COMMAND } from "./settings.ts";

const WORKERS = 3;
const KILLS = 12;

// The emulator on a port, unless there is a key for the service.
if (!process.env["ASYNC_MUSIC_API_KEY"]) {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ queue_seconds: 1, process_seconds: 3 });
  const { url } = await serve(emulator);
  Object.assign(process.env, { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey });
}

const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
redis.once("error", ({ message }) => {
  console.error(`There is no Redis at ${redisUrl}: ${message}`);
  process.exit(1);
});
const queue = new Queue<Order, string>(QUEUE, { connection: redis });

const run = Date.now().toString(36);
const jobs: Job[] = [];
const workers: ChildProcess[] = Array.from({ length: WORKERS }, startWorker);
for (let kill = 0; kill < KILLS; kill++) {
  await setTimeout(700);
  await order();
  // Its job may be running.
  await setTimeout(300);
  const entry = kill % WORKERS;
  workers[entry]?.kill("SIGKILL");
  workers[entry] = startWorker();
}
await order();
for (const { id = "" } of jobs) {
  while (!["completed", "failed"].includes(await queue.getJobState(id))) await setTimeout(200);
  const job = await queue.getJob(id);
  console.log(`${id}: ${job?.returnvalue ?? job?.failedReason}`);
}
console.log(`${KILLS} workers were killed meanwhile.`);
await printOpen(redisJournal(redis, { prefix: QUEUE }), SETTLE_COMMAND);

for (const worker of workers) worker.kill("SIGKILL");
await queue.close();
process.exit();

/** Queues an order once, and retries temporary failures. */
async function order(): Promise<void> {
  const name = `order-${run}-${jobs.length}`;
  const description = `rain in Lisbon, number ${jobs.length}`;
  const backoff = { type: "exponential", delay: 1000 };
  jobs.push(await queue.add("song", { name, description }, { jobId: name, attempts: 10, backoff }));
}

function startWorker(): ChildProcess {
  const script = fileURLToPath(new URL("worker.ts", import.meta.url));
  return spawn(process.execPath, [...process.execArgv, script], { stdio: "inherit" });
}
