import { randomChoice } from "../../emulator/time/random.js";
import type { App, Order, Process } from "../../emulator/worlds/index.js";
import { AsyncMusic } from "../../src/client.js";
import { ApiError } from "../../src/errors/api-errors.js";
import { AsyncMusicError, CreditCeilingError } from "../../src/errors/base.js";
import { SubmissionOutcomeUnknownError } from "../../src/errors/connection-errors.js";
import { TaskFailedError } from "../../src/errors/task-errors.js";
import { memoryBudget } from "../../src/memory-budget.js";
import type { RunOptions } from "../../src/tasks/options.js";
import { BUDGET, checkEvidence, checkPromises, type Told, TRIAL } from "./properties.js";

/** After this, a POST that timed out is over: it is longer than any latency of a world. */
const LONGEST_POST_MS = 180_000;

/** The share of lives that make a request beside their orders, without a journal. */
const TRIALS = 0.1;

/** Ways to use the SDK. Each process of a world draws one at each start. */
const WAYS = { runEach, runAtOnce, runBatch, submitThenRun, submitAndFollow };

/** The program of the simulation: a shop that uses the SDK as its documentation says. */
export const shop: App = {
  async start(process) {
    const names = Object.keys(WAYS) as (keyof typeof WAYS)[];
    const way = WAYS[randomChoice(process.random, names)];
    const client = new AsyncMusic(process.connection());
    const trials = process.random() < TRIALS ? [runWithoutJournal(process, client)] : [];
    await allOf([way(process, client), ...trials]);
  },
  check: checkPromises,
};

/** A program that always samples the usage, so that each unknown outcome has evidence. */
export const carefulShop: App = {
  async start(process) {
    const client = new AsyncMusic(process.connection());
    for (const order of process.orders) await runOne(process, client, order, { probe: true });
  },
  async check(world) {
    await checkPromises(world);
    checkEvidence(world);
  },
};

/** Makes lyrics that no order needs. A crash may lose them, and nothing requests them again. */
async function runWithoutJournal(process: Process, client: AsyncMusic): Promise<void> {
  const input = { prompt: `${TRIAL} ${process.name}, life ${process.life}` };
  const request = { model: "provider_a", task_type: "lyrics", input } as const;
  await client.tasks.run(request, { signal: process.signal }).catch(() => {});
}

async function runEach(process: Process, client: AsyncMusic): Promise<void> {
  for (const order of process.orders) await runOne(process, client, order);
}

async function runAtOnce(process: Process, client: AsyncMusic): Promise<void> {
  await allOf(process.orders.map((order) => runOne(process, client, order)));
}

/** Submits every order, and delivers what the follower of the journal yields: also the orders of other processes. */
async function submitAndFollow(process: Process, client: AsyncMusic): Promise<void> {
  const { journal, orders, signal } = process;
  if (journal.unacknowledged === undefined) return runEach(process, client);
  const submitted = new Map<string, Order>();
  for (const order of orders) if (await submit(process, client, order)) submitted.set(order.id, order);
  const stop = new AbortController();
  // Another follower may deliver the last order: then this one ends after the task timeout.
  const isLate = process.clock.sleep(2 * 3_600_000, stop.signal).then(
    () => stop.abort(),
    () => {},
  );
  try {
    const options = { signal: AbortSignal.any([signal, stop.signal]) };
    for await (const { key, task, error } of client.tasks.follow(
      { ...journal, unacknowledged: journal.unacknowledged },
      options,
    )) {
      const order = submitted.get(key) ?? { id: key, request: orders[0]?.request ?? ({} as never) };
      await end(process, order, task?.task_id ?? null, error);
      submitted.delete(key);
      if (submitted.size === 0) break;
    }
  } catch (error) {
    if (!signal.aborted && !stop.signal.aborted) throw error;
  } finally {
    stop.abort();
    await isLate;
  }
  if (signal.aborted) return;
  for (const order of submitted.values()) await runOne(process, client, order);
}

async function runBatch(process: Process, client: AsyncMusic): Promise<void> {
  const { orders } = process;
  const requests = orders.map(({ request }) => request);
  const { journalKey: _, ...options } = optionsOf(process, "");
  const journalKey = (_request: unknown, index: number) => orders[index]?.id ?? "";
  try {
    for await (const { index, task, error } of client.tasks.runAll(requests, {
      ...options,
      journalKey,
      concurrency: 2,
    })) {
      const order = orders[index];
      if (order !== undefined) await end(process, order, task?.task_id ?? null, error);
    }
  } catch (error) {
    if (!process.signal.aborted) throw error;
  }
}

/** Submits every order first, as a function does that lives for seconds, and then waits for each. */
async function submitThenRun(process: Process, client: AsyncMusic): Promise<void> {
  const submitted: Order[] = [];
  for (const order of process.orders) if (await submit(process, client, order)) submitted.push(order);
  for (const order of submitted) await runOne(process, client, order);
}

/** Resolves with whether the order has a task that is to be waited for. */
async function submit(process: Process, client: AsyncMusic, order: Order): Promise<boolean> {
  try {
    const { probe: _, ...options } = optionsOf(process, order.id);
    const { task_id } = await client.tasks.create(order.request, options);
    await tell(process, order, task_id, null);
    return true;
  } catch (error) {
    const isSubmitted = error instanceof AsyncMusicError && error.taskId !== null;
    await (isSubmitted ? tell : end)(process, order, null, error);
    return isSubmitted;
  }
}

async function runOne(
  process: Process,
  client: AsyncMusic,
  order: Order,
  options: RunOptions = {},
): Promise<void> {
  const first = await tryOne(process, client, order, options);
  if (!(first.error instanceof SubmissionOutcomeUnknownError) || process.signal.aborted)
    return end(process, order, first.taskId, first.error);
  await tell(process, order, first.taskId, first.error);
  // The evidence is final when the POST can no longer be in flight.
  await process.clock.sleep(LONGEST_POST_MS, process.signal).catch(() => {});
  if (process.signal.aborted) return;
  const { taskId, error } = await tryOne(process, client, order, options);
  await end(process, order, taskId, error);
}

async function tryOne(process: Process, client: AsyncMusic, order: Order, options: RunOptions) {
  try {
    const { task_id: taskId } = await client.tasks.run(order.request, {
      ...optionsOf(process, order.id),
      ...options,
    });
    return { taskId, error: null };
  } catch (error) {
    return { taskId: null, error };
  }
}

function optionsOf(process: Process, journalKey: string) {
  const budget = process.shared("budget", () => memoryBudget({ maxCredits: BUDGET, per: "total" }));
  const { journal, signal } = process;
  return {
    journal,
    journalKey,
    budget,
    tenant: "acme",
    signal,
    probe: process.random() < 0.4,
  } satisfies RunOptions;
}

/** Records the end of an order. Rejects with an error after which the order is to be started again. */
async function end(process: Process, order: Order, taskId: string | null, error: unknown): Promise<void> {
  await tell(process, order, taskId, error);
  if (taskId !== null) return process.deliver(order, taskId);
  if (process.signal.aborted) return;
  if (error instanceof TaskFailedError) return process.giveUp(order, "failed");
  if (error instanceof CreditCeilingError) return process.giveUp(order, "declined");
  if (error instanceof AsyncMusicError && error.taskId !== null) throw error;
  if (error instanceof SubmissionOutcomeUnknownError) return process.giveUp(order, "unknown");
  if (error instanceof ApiError && [400, 402, 403].includes(error.status))
    return process.giveUp(order, "refused");
  throw error;
}

async function tell(process: Process, order: Order, taskId: string | null, error: unknown): Promise<void> {
  // A killed process, whose timers still end, records nothing.
  await process.clock.sleep(0);
  const told = process.shared<Told[]>("told", () => []);
  told.push({ process: process.name, life: process.life, order: order.id, taskId, error });
}

async function allOf(runs: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(runs);
  const failed = ends.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
