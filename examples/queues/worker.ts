/**
 * One worker of a fleet. End it as you like, with `kill -9` too: another one goes on with its songs, and pays for none of
 * them again. `fleet.ts` starts some; so does your process manager.
 */

import { AsyncMusic } from "async-music";
import { redisJournal, redisPacer } from "async-music/redis";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { inBullMq } from "./bullmq.ts";
import { fulfil, type Order } from "./order.ts";
import { lockMs, pollMs, QUEUE, redisUrl } from "./settings.ts";

const redis = new Redis(redisUrl);
const journal = redisJournal(redis);
const client = new AsyncMusic({ pacer: redisPacer(redis) });

new Worker<Order, string>(
  QUEUE,
  (job, token) =>
    inBullMq(job, token, async () => {
      const song = await fulfil(job.data, { client, journal, pollIntervalMs: pollMs });
      return song.task_id;
    }),
  {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    // Nearly all of a job is waiting.
    concurrency: 50,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    // A worker that was killed is no fault of its jobs: by default they fail the second time that it happens.
    maxStalledCount: 1000,
  },
);
