import { AGES, STEPS } from "./ages.js";

/** How far apart they lie at most: a share of the age, or this long; or so that this share of all tasks ends between two. */
const GROWTH = 1.04;
const LONGEST_MS = 2000;
const SHARE = 1 / 100;

/** The steps of age at which a task may be read: as few as tell its tasks apart, from 0 to the last one. */
export function readAges(survival: Float64Array): number[] {
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
