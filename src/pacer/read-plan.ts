import { LIMITS } from "../contract/limits.js";
import { AGES, at, LAST_CALL_MS, STEPS } from "./ages.js";
import type { DurationLaw } from "./duration-law.js";

/** For a task that was last found unfinished at each age, the age of its next reading. */
export type ReadPlan = Float64Array;

/**
 * The cheapest plan of reads when each read has a price. A plan costs its reads, and the time that the task is over
 * before one of them finds it. Worked backwards from the last age: what comes after a read depends on its age alone.
 */
export function planReads({ survival, overdue }: DurationLaw, priceMs: number, gapMs: number): ReadPlan {
  const ages = AGES;
  const plan = new Float64Array(STEPS + 1).fill(LAST_CALL_MS);
  const cost = new Float64Array(STEPS + 1);
  let latest = STEPS;

  for (let from = STEPS - 1; from >= 0; from--) {
    const [age, alive, area] = [ages[from] ?? 0, survival[from] ?? 0, overdue[from] ?? 0];
    let [best, bestStep] = [Number.POSITIVE_INFINITY, latest];
    // The earlier a task was read, the earlier is its next reading: no step beyond the last best one can be better.
    for (let to = latest; to > from; to--) {
      const passed = (ages[to] ?? 0) - age;
      if (passed < gapMs && to < latest) break;
      const unseen = (overdue[to] ?? 0) - area - (1 - alive) * passed;
      const total = unseen + (cost[to] ?? 0);
      if (total < best) {
        best = total;
        bestStep = to;
      }
    }
    latest = bestStep;
    cost[from] = best + priceMs * alive;
    plan[from] = ages[bestStep] ?? 0;
  }
  return plan;
}

/** The age of the next reading of a task that was last found unfinished at an age. Without a plan reads are free. */
export function nextRead(plan: ReadPlan | undefined, unfinishedMs: number): number {
  // What was open at the last call is most likely still open when the hour ends it.
  if (unfinishedMs >= LAST_CALL_MS) return LIMITS.taskTimeoutMs + 1000;
  return plan === undefined ? unfinishedMs : at(plan, unfinishedMs);
}
