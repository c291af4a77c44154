import assert from "node:assert/strict";
import type { EndedOrder, EndedWorld } from "../../emulator/worlds/index.js";
import type { Budget } from "../../src/budget/budget.js";
import { priceOf } from "../../src/contract/prices.js";
import { AsyncMusicError } from "../../src/errors/base.js";
import { SubmissionOutcomeUnknownError } from "../../src/errors/connection-errors.js";

/** Not every world can pay for all of its orders. */
export const BUDGET = 25;

/** How the prompts of requests without a journal begin. Each is one call. */
export const TRIAL = "a trial of";

/** What a process received for an order. */
export interface Told {
  readonly process: string;
  readonly life: number;
  readonly order: string;
  readonly taskId: string | null;
  readonly error: unknown;
}

/**
 * What the SDK and the emulator promise beyond the checks of the explorer. It uses only what is visible from outside: sent
 * requests, the state of the service, and the results of callers.
 */
export async function checkPromises(world: EndedWorld): Promise<void> {
  const told = (world.shared.get("told") ?? []) as Told[];
  for (const order of world.orders)
    await checkOrder(
      world,
      order,
      told.filter((each) => each.order === order.id),
    );
  checkTrials(world);
  checkShutdown(world);
  checkLimit(world);
  checkLedger(world);
  await checkBudget(world);
}

async function checkOrder(
  { plan, journal }: EndedWorld,
  order: EndedOrder,
  told: readonly Told[],
): Promise<void> {
  const { id, tasks, posts } = order;
  // Stricter than one charge: the SDK never sends a POST again whose outcome may be a task.
  assert.ok(tasks.length <= 1, `${id} was created ${tasks.length} times`);
  const [task] = tasks;
  const entry = await journal.get(id);
  assert.ok(entry !== null || task === undefined, `${id} is free in the journal, although it was paid for`);
  const recorded = entry?.state === "submitted" ? entry.task_id : null;
  const named = posts.find(({ taskId }) => taskId !== null)?.taskId ?? recorded;
  if (canRecord(plan))
    assert.equal(recorded, named, `${id} is not recorded, although a response named its task`);
  const last = told.at(-1);
  // An incomplete response may still name its task, which the journal then has.
  if (last?.error instanceof SubmissionOutcomeUnknownError && last.error.taskId === null) {
    assert.notEqual(entry?.state, "submitted", `${id} is recorded, but its outcome was reported as unknown`);
    const isRepeated =
      told.filter(({ process, life }) => process === last.process && life === last.life).length > 1;
    if (isRepeated && last.error.evidence === "not_created")
      assert.equal(task, undefined, `${id} was created, but the evidence states the opposite`);
  }
  for (const { error, process, life, taskId } of told) {
    const own = posts.findLast(({ sender }) => sender.name === process && sender.life === life);
    const known = taskId ?? (error instanceof AsyncMusicError ? error.taskId : null);
    // The calls after the first one of a life may fail for other reasons.
    const isFirst = told.find((each) => each.process === process && each.life === life)?.error === error;
    if (!isFirst) continue;
    // A caller that aborted while the POST was in flight received an unknown outcome before the response arrived.
    const isUnknown = error instanceof SubmissionOutcomeUnknownError;
    // Once a process has received a task's ID, its error has this ID.
    if (own != null && own.taskId !== null && error instanceof AsyncMusicError && !isUnknown)
      assert.equal(
        known,
        own.taskId,
        `${process} created ${own.taskId} for ${id}, and received ${error.name} without its ID`,
      );
    if (own?.received === "nothing" && error !== null && error !== undefined)
      assert.ok(isUnknown, `${process} received ${String(error)} for ${id}, whose POST was in flight`);
  }
}

/**
 * Whether each process records what it receives: none ends early or waits too long, and the journal works. The failure of another
 * order can end a process, too.
 */
function canRecord({ orders, processes }: EndedWorld["plan"]): boolean {
  const prevents = ["crash", "storage", "freeze"];
  const isUndisturbed = processes.every(
    ({ stopsAt, mishaps }) => stopsAt === null && mishaps.every(([, { kind }]) => !prevents.includes(kind)),
  );
  return orders.length === 1 && isUndisturbed;
}

/** Without a journal, a call creates one task at most. */
function checkTrials({ emulator }: EndedWorld): void {
  const prompts = emulator.state().tasks.map(({ input }) => String(input["prompt"]));
  for (const prompt of prompts.filter((each) => each.startsWith(TRIAL)))
    assert.equal(
      prompts.indexOf(prompt),
      prompts.lastIndexOf(prompt),
      `${prompt} was created more than once`,
    );
}

/** A process that must end still receives the outcome of a POST in flight, and records it. */
function checkShutdown({ plan, orders }: EndedWorld): void {
  const { processes, faults, outages } = plan;
  if (faults.length + outages.length > 0 || processes.some(({ mishaps }) => mishaps.length > 0)) return;
  // A budget that is used up reads the journal of the process that reserved. If that process has ended, this takes 30 s, for which
  // the intent stands.
  const credits = orders.reduce((sum, { request }) => sum + priceOf(request.model, request.task_type), 0);
  if (credits > BUDGET) return;
  const isRejected = new Set(
    plan.orders.filter(({ outcome }) => outcome.outcome === "reject").map(({ id }) => id),
  );
  for (const { id, givenUp } of orders) {
    if (!isRejected.has(id))
      assert.ok(!givenUp.includes("unknown"), `${id} is unknown in a world without faults`);
  }
}

/** One process that is never killed keeps its key within the limit, as far as the service states it. */
function checkLimit({ plan, emulator }: EndedWorld): void {
  const { processes, others, faults } = plan;
  const isMeant = faults.some(({ fault }) => fault.kind === "status" && fault.status === 429);
  if (
    processes.length > 1 ||
    others.length > 0 ||
    isMeant ||
    processes.some(({ mishaps }) => mishaps.length > 0)
  )
    return;
  const refused = emulator.requests.filter(({ status }) => status === 429).length;
  assert.equal(refused, 0, `${refused} requests were refused with 429, and the limit sufficed`);
}

/** Every credit is accounted for: each task has one freeze and one end. */
function checkLedger({ emulator }: EndedWorld): void {
  const { ledger, balance } = emulator.accounts.get(emulator.accountId);
  const sum = (kind: string, taskId?: string) =>
    ledger
      .filter((entry) => entry.kind === kind && (taskId === undefined || entry.task_id === taskId))
      .reduce((total, { credits }) => total + credits, 0);
  for (const { task_id, model, type, status } of emulator.state().tasks) {
    const price = priceOf(model as never, type as never);
    const found = [sum("freeze", task_id), sum("settle", task_id), sum("refund", task_id)];
    const ends = status === "success" ? [price, 0] : [0, price];
    assert.deepEqual(found, [price, ...ends], `task ${task_id} of ${price} credits ended in ${status}`);
  }
  const left = sum("top_up") - sum("settle");
  assert.deepEqual(
    balance,
    { available: left, frozen: 0, total: left },
    "the balance does not match the ledger",
  );
}

/** A budget has never less than what its tenant was charged, and exactly that once nothing is reserved. */
async function checkBudget({ shared, orders }: EndedWorld): Promise<void> {
  const budget = shared.get("budget") as Budget | undefined;
  if (budget === undefined) return;
  const { spent, reserved, maxCredits } = await budget.usage("acme");
  const charged = orders.flatMap(({ tasks }) => tasks.filter(({ status }) => status === "success"));
  const cost = charged.reduce((total, { credits_cost }) => total + credits_cost, 0);
  assert.ok(cost <= maxCredits, `${cost} credits were charged, and the budget allows ${maxCredits}`);
  assert.ok(
    spent + reserved >= cost,
    `the budget has ${spent} + ${reserved} credits, and ${cost} were charged`,
  );
  // A reservation whose end a follower delivered is settled at the next use of the budget by a living process.
  if (reserved === 0)
    assert.equal(spent, cost, `the budget has spent ${spent} credits, and ${cost} were charged`);
}

/** No key stays locked that the evidence could free: without a task, and with the usage read before and after, it says so. */
export function checkEvidence({ shared, orders }: EndedWorld): void {
  const told = (shared.get("told") ?? []) as Told[];
  for (const { id, tasks, givenUp } of orders) {
    const last = told.findLast(({ order }) => order === id)?.error;
    if (tasks.length > 0 || !givenUp.includes("unknown") || !(last instanceof SubmissionOutcomeUnknownError))
      continue;
    assert.equal(
      last.evidence,
      "not_created",
      `${id} was not created, and the evidence does not free its key`,
    );
  }
}
