import { LIMITS } from "../contract/service.js";
import { LAST_CALL_MS } from "./ages.js";
import type { ReadAges } from "./read-ages.js";

/** For a task that was last found unfinished at each of some ages, the age of its next reading. */
export interface ReadPlan {
  ages: Float64Array;
  next: Float64Array;
}

/**
 * The cheapest plan of reads when each read has a price. A plan costs its reads, and the time that the task is over
 * before one of them finds it. Worked backwards from the last age: what comes after a read depends on its age alone.
 */
export function planReads({ ages, alive, over }: ReadAges, priceMs: number, gapMs: number): ReadPlan {
  const last = ages.length - 1;
  const next = new Float64Array(last + 1).fill(LAST_CALL_MS);
  const cost = new Float64Array(last + 1);
  let latest = last;

  for (let from = last - 1; from >= 0; from--) {
    const [age, living, area] = [ages[from] ?? 0, alive[from] ?? 0, over[from] ?? 0];
    let [best, bestPlace, isSoonest] = [Number.POSITIVE_INFINITY, latest, false];
    // The earlier a task was read, the earlier is its next reading: no step beyond the last best one can be better.
    for (let to = latest; to > from; to--) {
      const passed = (ages[to] ?? 0) - age;
      if (passed < gapMs && to < latest) break;
      const total = (over[to] ?? 0) - area - (1 - living) * passed + (cost[to] ?? 0);
      if (total < best) {
        [best, bestPlace] = [total, to];
        isSoonest = (ages[to - 1] ?? 0) - age < gapMs;
      }
    }
    latest = bestPlace;
    cost[from] = best + priceMs * living;
    // The ages are far apart: a read that should come as soon as possible must not wait for the next of them.
    const bestAge = ages[bestPlace] ?? 0;
    next[from] = isSoonest ? Math.min(age + gapMs, bestAge) : bestAge;
  }
  return { ages, next };
}

/** The age of the next reading of a task that was last found unfinished at an age. Without a plan reads are free. */
export function nextRead(plan: ReadPlan | undefined, unfinishedMs: number): number {
  // What was open at the last call is most likely still open when the hour ends it.
  if (unfinishedMs >= LAST_CALL_MS) return LIMITS.taskTimeoutMs + 1000;
  if (plan === undefined) return unfinishedMs;
  // Near the last call the interpolated age converges on `unfinishedMs`; the next read must still be later.
  return Math.max(interpolate(plan, unfinishedMs), Math.min(unfinishedMs + 1, LAST_CALL_MS));
}

function interpolate({ ages, next }: ReadPlan, ageMs: number): number {
  let [low, high] = [0, ages.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ages[middle] ?? 0) <= ageMs) low = middle;
    else high = middle;
  }
  const [from, to, first, second] = [ages[low] ?? 0, ages[high] ?? 0, next[low] ?? 0, next[high] ?? 0];
  return first + ((second - first) * (ageMs - from)) / (to - from);
}
