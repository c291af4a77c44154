import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { judge } from "../queues/judge.ts";
import type { Order } from "../queues/order.ts";
import type { Engine } from "./engine.ts";
import { databaseUrl, LONGEST_SONG_SECONDS, QUEUE } from "./settings.ts";

const WORKFLOW = "song";

/** The steps of a workflow that DBOS provides. */
export type Steps = Pick<typeof DBOS, "runStep" | "sleep" | "now">;

/**
 * Runs `work` as steps of a workflow, and maps its errors to DBOS's retry rules. DBOS stores what a step returns: after a
 * crash, the workflow continues with the next step.
 */
export async function inDbos(dbos: Steps, work: () => Promise<string>): Promise<string> {
  const attempt = async (): Promise<{ end: string } | { notBefore: number }> => {
    try {
      return { end: await work() };
    } catch (error) {
      const verdict = judge(error);
      // The time is a result, so that the workflow sleeps until then, even across restarts.
      if (verdict.again && verdict.notBefore !== null) return { notBefore: verdict.notBefore.getTime() };
      throw error;
    }
  };
  for (;;) {
    const result = await dbos.runStep(attempt, {
      name: "attempt",
      retriesAllowed: true,
      maxAttempts: 1000,
      intervalSeconds: 5,
      backoffRate: 1,
      shouldRetry: (error) => judge(error).again,
    });
    if ("end" in result) return result.end;
    await dbos.sleep(Math.max(0, result.notBefore - (await dbos.now())));
  }
}

export async function createEngine(): Promise<Engine> {
  await DBOS.migrate(databaseUrl);
  const name = "async-music-example";
  const client = await DBOSClient.create({ systemDatabaseUrl: databaseUrl, applicationName: name });
  return {
    async enqueue(connection, order) {
      const options = { queueName: QUEUE, workflowName: WORKFLOW, workflowID: order.name };
      await client.enqueueInTransaction(connection, options, order);
    },
    async work(executorID, fulfilOrder) {
      DBOS.registerWorkflow((order: Order) => inDbos(DBOS, () => fulfilOrder(order)), {
        name: WORKFLOW,
        // By default, a workflow ends if its worker is killed a hundred times.
        maxRecoveryAttempts: 1000,
      });
      // A worker with the name of a killed one recovers its workflows. All workers need the same version.
      const versions = { executorID, applicationVersion: "1" };
      DBOS.setConfig({ name, systemDatabaseUrl: databaseUrl, logLevel: "error", ...versions });
      await DBOS.launch();
      await DBOS.registerQueue(QUEUE, { workerConcurrency: 50 });
    },
    async close() {
      await DBOS.shutdown({ workflowCompletionTimeoutMS: LONGEST_SONG_SECONDS * 1000 });
      await client.destroy();
    },
  };
}
