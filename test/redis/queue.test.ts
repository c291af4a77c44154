import { Queue } from "bullmq";
import { expect, onTestFinished, test } from "vitest";
import { FLEET_RUNS, runFleet, stopWorker } from "../support/fleet.js";
import { redisSocket } from "./connections.js";

test.for(FLEET_RUNS)(
  "a BullMQ fleet creates one song per order while its workers are killed (run %s)",
  async (run, context) => {
    const env = { REDIS_URL: redisSocket(), LOCK_MS: "3000", QUEUE: `songs-${run}` };
    const emulator = await runFleet(["examples/queues/fleet.ts"], env, context);
    expect(emulator.audit()).toEqual([]);
    expect(emulator.requests.filter(({ status }) => status === 429)).toEqual([]);
  },
);

test("on SIGTERM, a BullMQ worker finishes its song, takes no other, and exits with 0", async () => {
  const connection = { path: redisSocket() };
  const queue = new Queue("songs", { connection });
  onTestFinished(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
  });
  const add = (which: string) =>
    queue.add("song", { name: which, description: which }, { jobId: `order-${which}` });
  const env = { REDIS_URL: connection.path };
  const taskId = await stopWorker(["examples/queues/worker.ts"], env, add, { expect, onTestFinished });
  expect((await queue.getJob("order-first"))?.returnvalue).toBe(taskId);
  expect(await queue.getJobState("order-second")).toBe("waiting");
});
