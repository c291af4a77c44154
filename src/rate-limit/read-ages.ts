import { AGES, STEPS } from "./ages.js";

/** The ages at which a task may be read, from 0 to the last call. */
export interface ReadAges {
  ages: Float64Array;
  /** The share of tasks that outlive each. */
  alive: Float64Array;
  /** For how long a task has been over at each, on average, when nobody has read it, in milliseconds. */
  over: Float64Array;
}

/** How far apart they lie at most: a share of the age, or this long; or so that this share of all tasks ends between two. */
const GROWTH = 1.02;
const LONGEST_MS = 1000;
const SHARE = 1 / 100;

/** As few ages as tell the tasks of a law apart, by its curves at every step. */
export function readAges(survival: Float64Array, overdue: Float64Array): ReadAges {
  const steps = stepsApart(survival);
  return { ages: pick(AGES, steps), alive: pick(survival, steps), over: pick(overdue, steps) };
}

function pick(curve: Float64Array, steps: readonly number[]): Float64Array {
  const values = new Float64Array(steps.length);
  for (const [place, step] of steps.entries()) values[place] = curve[step] ?? 0;
  return values;
}

function stepsApart(survival: Float64Array): number[] {
  const steps = [0];
  let [lastMs, lastAlive] = [0, 1];
  for (let step = 1; step < STEPS; step++) {
    const isFar = (AGES[step + 1] ?? 0) > Math.max(lastMs * GROWTH, lastMs + LONGEST_MS);
    if (!isFar && lastAlive - (survival[step + 1] ?? 0) <= SHARE) continue;
    steps.push(step);
    [lastMs, lastAlive] = [AGES[step] ?? 0, survival[step] ?? 0];
  }
  return [...steps, STEPS];
}
