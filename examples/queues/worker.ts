/**
 * One worker of a fleet. If it ends, even with `kill -9`, another worker continues with its songs, without a duplicate
 * charge. `fleet.ts` starts some; in production, your process manager does. It needs `npm install async-music bullmq ioredis`.
 */

import { AsyncMusic } from "async-music";
import { redisJournal, redisPacer } from "async-music/redis";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { inBullMq } from "./bullmq.ts";
import { fulfil, type Order } from "./order.ts";
import { lockMs, pollMs, QUEUE, redisUrl, SETTLE_COMMAND, settleAfterMs } from "./settings.ts";

const redis = new Redis(redisUrl);
const journal = redisJournal(redis, { prefix: QUEUE });
const client = new AsyncMusic({ pacer: redisPacer(redis) });
const queue = new Queue<Order, string>(QUEUE, {
  connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
});
const orderNames = async () => (await queue.getJobs()).map(({ data }) => data.name);
const means = { client, journal, orderNames, settleCommand: SETTLE_COMMAND, settleAfterMs };

const worker = new Worker<Order, string>(
  QUEUE,
  (job, token) =>
    inBullMq(job, token, async () => {
      const song = await fulfil(job.data, { ...means, pollIntervalMs: pollMs });
      return song.task_id;
    }),
  {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    // Jobs mostly wait.
    concurrency: 50,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    // By default, a job fails if its worker is killed twice.
    maxStalledCount: 1000,
  },
);

// Takes no other job, and ends after its songs, so that no request is in flight. Let your process manager wait some minutes.
process.once("SIGTERM", async () => {
  await worker.close();
  process.exit();
});
