import { LIMITS } from "../contract/service.js";
import { AGES, type Durations, interpolate, LAST_POLL_MS, STEPS, stepOf, valueAt } from "./durations.js";
import type { PollBudget } from "./window.js";

const { shortest: GAP_MS } = LIMITS.recommendedPollIntervalMs;

/** When the tasks of one tenant, or of several, are polled. */
export class PollPlan {
  /** Whether several tenants have it. */
  readonly isCommon: boolean;
  /** Whether all tasks are polled as soon as their callers allow. */
  isFree = true;
  keepsLongestGap = true;
  /** The window that the plan spends. */
  window: Pick<PollBudget, "from" | "until"> = { from: 0, until: 0 };
  /** By the distribution of the durations: the cheapest plan of polls. */
  readonly cheapest = new Map<Durations, Float64Array>();

  constructor(isCommon = false) {
    this.isCommon = isCommon;
  }
}

/**
 * The cheapest plan of polls at a price: for a task that was found unfinished at each of the ages, the age of its next
 * poll. A plan costs its polls, and the time that the task is finished before one of them finds it. What comes after a
 * poll depends on its age alone, so the plan is made backwards from the last poll.
 */
export function planPolls({ survival, overdue }: Durations, priceMs: number): Float64Array {
  const next = new Float64Array(STEPS + 1).fill(LAST_POLL_MS);
  const ages = AGES;
  // For a poll at each of the ages: the cost of all polls after it, and the time that the task is finished until then. `overdue`
  // is the same for all plans, but decides between nearly equal ones by rounding: without it, "0.6 a second, all take 90 s"
  // (tools/pacing/scenarios.ts) finds a task 3 % later in 600 s.
  const costs = Float64Array.from(overdue);
  let latest = STEPS;
  for (let from = STEPS - 1; from >= 0; from--) {
    const age = valueAt(AGES, from);
    const unfinished = valueAt(survival, from);
    const earliest = Math.min(latest, stepOf(age + GAP_MS) + 1);
    let best = Number.POSITIVE_INFINITY;
    // The earlier a task was polled, the earlier its next poll is.
    for (let to = latest; to >= earliest; to--) {
      const cost = (costs[to] ?? 0) - (1 - unfinished) * ((ages[to] ?? 0) - age);
      if (cost < best) {
        best = cost;
        latest = to;
      }
    }
    costs[from] = best + priceMs * unfinished;
    next[from] = latest === earliest ? Math.min(age + GAP_MS, valueAt(AGES, latest)) : valueAt(AGES, latest);
  }
  return next;
}

/** The age of the next poll of a task that is unfinished at an age. */
export function nextAge(plan: Float64Array, ageMs: number): number {
  const step = stepOf(ageMs);
  const [next, later] = [valueAt(plan, step), valueAt(plan, step + 1)];
  // Between two plans that differ much there is no third one: with it, "0.3 a second, all take 90 s"
  // (tools/pacing/scenarios.ts) finds a task 113 s late.
  const differMuch = later - next > 3 * (valueAt(AGES, step + 1) - valueAt(AGES, step));
  return differMuch ? next : interpolate(plan, ageMs);
}
