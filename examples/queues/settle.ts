/**
 * Settles a parked order of the BullMQ fleet, and finishes it: `settle.ts JOURNAL_KEY TASK_ID`, or `none` instead of the ID if
 * the request created no task. Without arguments, it lists the open orders.
 */

import { AsyncMusic } from "async-music";
import { redisJournal } from "async-music/redis";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { printOpen, settleByHand } from "./by-hand.ts";
import { fulfil, type Order } from "./order.ts";
import { pollMs, QUEUE, redisUrl, SETTLE_COMMAND, settleAfterMs } from "./settings.ts";

const [journalKey = "", outcome = ""] = process.argv.slice(2);
const redis = new Redis(redisUrl);
const journal = redisJournal(redis, { prefix: QUEUE });
const queue = new Queue<Order, string>(QUEUE, {
  connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
});

if (journalKey === "") await printOpen(journal, SETTLE_COMMAND);
else {
  const client = new AsyncMusic();
  await settleByHand(client, journal, journalKey, outcome);
  const job = await queue.getJob(journalKey.slice(0, journalKey.lastIndexOf("/")));
  if (job === undefined) throw new Error(`There is no job of ${journalKey}.`);
  const orderNames = async () => (await queue.getJobs()).map(({ data }) => data.name);
  const means = {
    client,
    journal,
    orderNames,
    settleCommand: SETTLE_COMMAND,
    settleAfterMs,
    pollIntervalMs: pollMs,
  };
  const { task_id } = await fulfil(job.data, means);
  console.log(`${job.data.name}: ${task_id}`);
}
process.exit();
