import { fairLevel } from "../../rate-limit/max-min.js";
import type { Tenants } from "../../rate-limit/tenants.js";
import type { PacerWindow } from "../../rate-limit/window.js";
import type { TenantReport } from "./shared-window.js";

/** What a process has of the fleet's tenants; `""` for requests without a tenant. */
export interface TenantShares {
  /** Which part of each tenant's waiting tasks this process waits for. */
  weights: ReadonlyMap<string, number>;
  /** How many tenants wait in other processes only; 0 if no task has a tenant. */
  elsewhere: number;
  /** How many requests of each tenant other processes have sent in about the last window. */
  used: ReadonlyMap<string, number>;
}

/** What a process may poll of all that a fleet polls. */
export interface FleetShare extends TenantShares {
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

/**
 * Sets what this process has of each tenant. A tenant that waits nowhere keeps its weight: between two songs, it would otherwise count
 * as ahead at its next create. A weight rises once two reports in a row state it: other processes that have begun to wait as well may
 * report that later.
 */
export function shareTenants(tenants: Tenants, { weights, elsewhere, used }: TenantShares): void {
  tenants.elsewhere = elsewhere;
  for (const [name = "", tenant] of tenants.byName) {
    const last = tenant.reportedWeight;
    tenant.reportedWeight = weights.get(name) ?? last;
    tenant.weight = Math.min(last, tenant.reportedWeight);
    tenant.usedElsewhere = used.get(name) ?? 0;
  }
}

/**
 * Whether a tenant had had its part of the window when its last request was admitted, and how many requests it then leaves to other
 * tenants. That request counts neither as sent nor as no longer waiting: if it were refused for that, the queue would admit it again
 * at once.
 */
export function turnOf(
  tenants: Tenants,
  name: string | undefined,
  window: Pick<PacerWindow, "budget">,
  now: number,
): { isAhead: boolean; leave: number } {
  if (!tenants.areNamed) return { isAhead: true, leave: 0 };
  const tenant = tenants.get(name, now);
  const waiting = [...tenants.byName.values()].filter((each) => each === tenant || each.waiting > 0);
  const { untilAhead, reserve } = tenants.fairness(window.budget(now), waiting.length);
  const isAhead = untilAhead(tenant) <= -1;
  return { isAhead, leave: isAhead ? reserve : 0 };
}
