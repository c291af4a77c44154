import { fairLevel } from "../../rate-limit/max-min.js";
import type { FleetTenants } from "../../rate-limit/tenants.js";
import type { TenantReport } from "./shared-window.js";

/** What a process may poll of all that a fleet polls. */
export interface FleetShare extends Omit<FleetTenants, "unknown"> {
  /** The waiting tasks of this process and of the whole fleet. Those of a tenant count up to its part of the rate limit. */
  own: number;
  all: number;
}

/** @param polledFreely - how many tasks a window can poll at the shortest gaps */
export function shareOf(own: TenantReport, all: TenantReport, polledFreely: number): FleetShare {
  const totals = [...all.waiting].filter(([, tasks]) => tasks > 0);
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
    own: counted(own.waiting),
    all: counted(totals),
    weights: new Map(
      [...own.waiting].map(([tenant, tasks]) => [
        tenant,
        tasks / Math.max(tasks, all.waiting.get(tenant) ?? 0),
      ]),
    ),
    elsewhere: areNamed ? totals.filter(([tenant]) => !own.waiting.has(tenant)).length : 0,
    used: new Map(
      [...all.used].map(([tenant, used]) => [tenant, Math.max(0, used - (own.used.get(tenant) ?? 0))]),
    ),
  };
}
