import type { Durations } from "./durations.js";
import type { Limit } from "./service.js";

/**
 * The lowest mean discovery delay of any policy without knowledge of future durations. Each read has a price. For one
 * task, dynamic programming over its ages finds the cheapest plan of reads. The cost of all plans, minus the price of
 * all available reads, is a lower bound (Lagrangian relaxation). The result is the highest bound over all prices.
 */
export function steadyBound(
  durations: Durations,
  perSecond: number,
  limit: Limit,
  gapSeconds: number,
  othersPerSecond = 0,
): number {
  const requestsPerSecond = (limit.requests * 1000) / limit.windowMs - othersPerSecond;
  const readsPerTask = (requestsPerSecond - perSecond) / perSecond;
  const curve = curveOf(durations, agesOf(durations));
  const planAt = (price: number) =>
    plan(
      curve,
      gapSeconds,
      curve.ages.map(() => price),
    );
  const costAt = (price: number) => planAt(price).cost - price * readsPerTask;

  let best = costAt(0);
  for (let [low, high, step] = [1e-3, 1e4, 0]; step < 40; step++) {
    const price = Math.sqrt(low * high);
    best = Math.max(best, costAt(price));
    const [reads = 0] = planAt(price).reads(Number.POSITIVE_INFINITY, 1);
    if (reads > readsPerTask) low = price;
    else high = price;
  }
  return best;
}

/** The same for tasks that all begin at once, without other use of the key. Each window has a separate price. */
export function burstBound(durations: Durations, tasks: number, limit: Limit, gapSeconds: number): number {
  const windowSeconds = limit.windowMs / 1000;
  const windows = Math.ceil(tasks / limit.requests + 1) + Math.ceil(longest(durations) / windowSeconds);
  const step = Math.max(1, Math.round((windows * windowSeconds) / 600));
  const ages = Array.from(
    { length: Math.ceil((windows * windowSeconds) / step) + 1 },
    (_, index) => index * step,
  );
  const curve = curveOf(durations, ages);
  const share = limit.requests / tasks;

  const prices = Array.from({ length: windows + 1 }, (_, window) =>
    Math.max(0, (tasks / limit.requests - window) * windowSeconds * 0.6),
  );
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const pricesAt = curve.ages.map((age) => prices[Math.floor(age / windowSeconds)] ?? 0);
    const planned = plan(curve, gapSeconds, pricesAt);
    best = Math.max(best, planned.cost - share * prices.reduce((sum, price) => sum + price, 0));
    const stride = (10 / share + 2) / Math.sqrt(1 + round / 10);
    const used = planned.reads(windowSeconds, windows + 1);
    for (const [window, price] of prices.entries()) {
      prices[window] = Math.max(0, price + stride * ((used[window] ?? 0) - share));
    }
  }
  return best;
}

const ROUNDS = 4000;
const HOUR = 3600;

interface Curve {
  ages: Float64Array;
  ended: Float64Array;
  /** The mean time since a task's end, at each age. */
  overdue: Float64Array;
}

/** The cheapest plan of reads for one task, and its cost. */
function plan({ ages, ended, overdue }: Curve, gapSeconds: number, prices: Float64Array) {
  const last = ages.length - 1;
  const cost = new Float64Array(last + 1);
  const next = new Int32Array(last + 1).fill(last);
  for (let from = last - 1; from >= 0; from--) {
    const [age, gone, area] = [ages[from] ?? 0, ended[from] ?? 0, overdue[from] ?? 0];
    if (gone > 1 - 1e-9) continue;
    let best = Number.POSITIVE_INFINITY;
    for (let to = from + 1; to <= last; to++) {
      const passed = (ages[to] ?? 0) - age;
      if (passed < gapSeconds && to < last) continue;
      const unseen = (overdue[to] ?? 0) - area - gone * passed;
      if (unseen > best) break;
      const total = unseen + (prices[to] ?? 0) * (1 - gone) + (cost[to] ?? 0);
      if (total < best) {
        best = total;
        next[from] = to;
      }
    }
    cost[from] = best;
  }

  /** The number of reads in each window. */
  const reads = (windowSeconds: number, windows: number) => {
    const sums = new Array<number>(windows).fill(0);
    for (let step = 0; step < last && (ended[step] ?? 1) < 1 - 1e-9; ) {
      const to = next[step] ?? last;
      const window = Math.min(windows - 1, Math.floor((ages[to] ?? 0) / windowSeconds));
      sums[window] = (sums[window] ?? 0) + 1 - (ended[step] ?? 1);
      step = to;
    }
    return sums;
  };
  return { cost: cost[0] ?? 0, reads };
}

function curveOf(durations: Durations, listed: readonly number[]): Curve {
  const ages = Float64Array.from(listed);
  // The task timeout ends all remaining tasks (States: age).
  const ended = ages.map((age) => (age >= HOUR ? 1 : durations.endedBy(age)));
  const overdue = new Float64Array(ages.length);
  for (let step = 1; step < ages.length; step++) {
    const passed = (ages[step] ?? 0) - (ages[step - 1] ?? 0);
    overdue[step] = (overdue[step - 1] ?? 0) + (((ended[step] ?? 0) + (ended[step - 1] ?? 0)) / 2) * passed;
  }
  return { ages, ended, overdue };
}

/** Every second while tasks end, then every 10 s until the task timeout. */
function agesOf(durations: Durations): number[] {
  const end = longest(durations);
  const ages = Array.from({ length: end + 1 }, (_, age) => age);
  if (durations.endedBy(end) < 1) for (let age = end + 10; age <= HOUR + 10; age += 10) ages.push(age);
  return ages;
}

/** An age at which nearly all tasks that end have ended. */
function longest(durations: Durations): number {
  let age = 10;
  while (age < HOUR && durations.endedBy(HOUR - 1) - durations.endedBy(age) > 1e-4) age += 10;
  return age;
}
