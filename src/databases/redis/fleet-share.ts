import { fairLevel } from "../../rate-limit/max-min.js";
import type { TasksByTenant } from "./waiting-tasks.js";

/** What a process may poll of all that a fleet polls. */
export interface FleetShare {
  /** The waiting tasks of this process and of the whole fleet. Those of a tenant count up to its part of the rate limit. */
  own: number;
  all: number;
  /** Which part of each tenant's tasks this process waits for. */
  weights: TasksByTenant;
  /** How many tenants wait in other processes only; 0 if no task has a tenant. */
  elsewhere: number;
}

/** @param polledFreely - how many tasks a window can poll at the shortest gaps */
export function shareOf(own: TasksByTenant, all: TasksByTenant, polledFreely: number): FleetShare {
  const totals = [...all].filter(([, tasks]) => tasks > 0);
  const level = fairLevel(
    polledFreely,
    totals.map(([, wants]) => ({ has: 0, wants, weight: 1 })),
  );
  const countedOf = new Map(totals.map(([tenant, tasks]) => [tenant, Math.min(1, level / tasks)]));
  // Where all tenants have more, all of their tasks count.
  const most = Math.max(0, ...countedOf.values());
  const counted = (tasks: Iterable<readonly [string, number]>) => {
    let sum = 0;
    for (const [tenant, each] of tasks) sum += each * ((countedOf.get(tenant) ?? 1) / (most || 1));
    return sum;
  };
  const areNamed = totals.some(([tenant]) => tenant !== "");
  return {
    own: counted(own),
    all: counted(totals),
    weights: new Map(
      [...own].map(([tenant, tasks]) => [tenant, tasks / Math.max(tasks, all.get(tenant) ?? 0)]),
    ),
    elsewhere: areNamed ? totals.filter(([tenant]) => !own.has(tenant)).length : 0,
  };
}
