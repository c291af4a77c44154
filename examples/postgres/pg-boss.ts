import { type Job, type JobResult, PgBoss } from "pg-boss";
import { judge } from "../queues/judge.ts";
import type { Order } from "../queues/order.ts";
import type { Engine } from "./engine.ts";
import { databaseUrl, LONGEST_SONG_SECONDS, QUEUE } from "./settings.ts";

/** Runs a job, and maps its errors to pg-boss's retry rules. */
export async function inPgBoss<Data extends object>(
  boss: Pick<PgBoss, "send">,
  { id, name, data }: Pick<Job<Data>, "id" | "name" | "data">,
  work: () => Promise<string>,
): Promise<JobResult<string>> {
  try {
    return { id, status: "completed", output: await work() };
  } catch (error) {
    const verdict = judge(error);
    if (!verdict.again) return { id, status: "deadletter", output: String(error) };
    // pg-boss retries after the delay of the queue.
    if (verdict.notBefore === null) throw error;
    // If the worker is killed in between, there are two jobs, but the order has one journal key.
    await boss.send(name, data, { startAfter: verdict.notBefore });
    return { id, status: "completed", output: "continues in another job" };
  }
}

export async function createEngine(): Promise<Engine> {
  // How often pg-boss looks for jobs whose worker was killed.
  const boss = new PgBoss({
    connectionString: databaseUrl,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue(QUEUE, {
    // The job of a killed worker goes to another one after this time.
    heartbeatSeconds: 10,
    expireInSeconds: LONGEST_SONG_SECONDS,
    // By default, a job fails if its worker is killed three times.
    retryLimit: 1000,
    retryBackoff: true,
    retryDelayMax: 60,
  });
  return {
    async enqueue(connection, order) {
      const executeSql = (text: string, values?: unknown[]) => connection.query(text, values);
      await boss.send(QUEUE, order, { db: { executeSql } });
    },
    async work(_name, fulfilOrder) {
      // Jobs mostly wait.
      const options = { localConcurrency: 20, pollingIntervalSeconds: 0.5, perJobResults: true } as const;
      await boss.work<Order, string, typeof options>(QUEUE, options, (jobs) =>
        Promise.all(jobs.map((job) => inPgBoss(boss, job, () => fulfilOrder(job.data)))),
      );
    },
    close: () => boss.stop({ timeout: LONGEST_SONG_SECONDS * 1000 }),
  };
}
