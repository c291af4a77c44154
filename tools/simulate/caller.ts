import { AsyncMusic } from "../../src/client.js";
import type { RunOptions } from "../../src/tasks/options.js";
import type { Machine } from "./machine.js";
import type { Order, ProcessPlan } from "./plan.js";

/** The result of a run for one key of a process. */
export interface Told {
  process: string;
  key: string;
  /** The result, or the error. */
  song: { task_id: string } | null;
  error: unknown;
}

/** The connection options of all clients in a world. */
export interface Address {
  apiKey: string;
  baseUrl: string;
  random: () => number;
}

/** The program of a process: runs the songs of its keys, and reports each result. */
export async function callForSongs(
  plan: Omit<ProcessPlan, "startsAt" | "events">,
  orders: readonly Order[],
  machine: Machine,
  address: Address,
  tell: (told: Told) => void,
): Promise<void> {
  const client = new AsyncMusic({ ...address, clock: machine.clock, fetch: machine.fetch });
  const wanted = orders.filter(({ key }) => plan.keys.includes(key));
  const controller = new AbortController();
  if (plan.abortsAt !== null) {
    const abort = () => controller.abort(`${plan.name} has no more time`);
    machine.clock.sleep(plan.abortsAt).then(abort, abort);
  }
  const { signal } = controller;
  const { journal } = machine;
  const tellOf = (key: string, song: Told["song"], error: unknown) => {
    tell({ process: plan.name, key, song, error });
  };

  const run = async ({ key, request }: Order) => {
    const options: RunOptions = { journal, journalKey: key, probe: plan.probe, signal };
    await client.tasks.run(request, options).then(
      (song) => tellOf(key, song, null),
      (error: unknown) => tellOf(key, null, error),
    );
  };
  const runBatch = async () => {
    const requests = wanted.map(({ request }) => request);
    const keyAt = (index: number) => wanted[index]?.key ?? "";
    const journalKey = (_: unknown, index: number) => keyAt(index);
    const options = { journal, journalKey, probe: plan.probe, signal, concurrency: 2 };
    try {
      for await (const { index, task, error } of client.tasks.runAll(requests, options)) {
        tellOf(keyAt(index), task ?? null, error);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  if (plan.mode === "batch") await runBatch();
  else if (plan.mode === "at_once") await Promise.all(wanted.map(run));
  else for (const order of wanted) await run(order);
}
