import { PLAN_LISTS, type Plan, type PlannedProcess } from "./plan.js";

/** The most worlds that are run to make one smaller. */
const MOST_RUNS = 400;

/**
 * Makes a plan smaller while it stays broken: fewer processes, orders, faults and mishaps, earlier steps, plain values. Returns
 * the smallest plan that was found.
 */
export async function shrink(plan: Plan, isBroken: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  let runs = 0;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of [...smallerPlans(smallest)].flatMap(tidied)) {
      if (runs++ >= MOST_RUNS) return smallest;
      if (!(await isBroken(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Without the orders that no process has left: their result would be lost in any program. Empty if there is no order at all. */
function tidied(plan: Plan): Plan[] {
  const held = (id: string) => plan.processes.some((each) => each.orders.includes(id));
  const orders = plan.orders.filter(({ id }) => held(id));
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  const processes = plan.processes.map((each) => ({
    ...each,
    orders: each.orders.filter((id) => ids.includes(id)),
  }));
  return [{ ...plan, orders, processes }];
}

/** Plans that are one change smaller, the largest changes first. */
function* smallerPlans(plan: Plan): Generator<Plan> {
  for (const name of PLAN_LISTS)
    for (const items of withoutOne<unknown>(plan[name])) yield { ...plan, [name]: items };
  const { future, ...today } = plan;
  if (future !== undefined) yield today;
  if (plan.varies) yield { ...plan, varies: false };
  if (plan.redelivers) yield { ...plan, redelivers: false };
  if (plan.limit !== 120) yield { ...plan, limit: 120 };
  for (const processes of changedOne(plan.processes, smallerProcesses)) yield { ...plan, processes };
  for (const faults of changedOne(plan.faults, (rule) => (rule.times === 1 ? [] : [{ ...rule, times: 1 }])))
    yield { ...plan, faults };
  for (const orders of changedOne(plan.orders, smallerOrders)) yield { ...plan, orders };
}

function* smallerProcesses(worker: PlannedProcess): Generator<PlannedProcess> {
  for (const mishaps of withoutOne(worker.mishaps)) yield { ...worker, mishaps };
  for (const orders of withoutOne(worker.orders)) yield { ...worker, orders };
  if (worker.stopsAt !== null) yield { ...worker, stopsAt: null };
  if (worker.pace[1] > 0) yield { ...worker, pace: [0, 0] };
  if (worker.startsAt > 0) yield { ...worker, startsAt: 0 };
  for (const mishaps of changedOne(worker.mishaps, earlier)) yield { ...worker, mishaps };
}

function* earlier([step, mishap]: PlannedProcess["mishaps"][number]): Generator<
  PlannedProcess["mishaps"][number]
> {
  if (mishap.kind === "crash" && mishap.ms !== 5000) yield [step, { ...mishap, ms: 5000 }];
  for (const sooner of new Set([0, step >> 1, step - 1]))
    if (sooner >= 0 && sooner < step) yield [sooner, mishap];
}

/** An order whose task succeeds after a plain 10 s. */
function smallerOrders(order: Plan["orders"][number]): Plan["orders"] {
  const outcome = { outcome: "success", process_seconds: 10 } as const;
  return JSON.stringify(order.outcome) === JSON.stringify(outcome) ? [] : [{ ...order, outcome }];
}

function* withoutOne<Item>(items: readonly Item[]): Generator<Item[]> {
  for (const index of items.keys()) yield items.toSpliced(index, 1);
}

function* changedOne<Item>(
  items: readonly Item[],
  smaller: (item: Item) => Iterable<Item>,
): Generator<Item[]> {
  for (const [index, item] of items.entries())
    for (const each of smaller(item)) yield items.with(index, each);
}
