import { expect, test } from "vitest";
import { AGES, STEPS, stepOf } from "../../../../src/rate-limit/ages.js";
import {
  neighboursWithin,
  SmoothedSurvival,
  type StepSums,
} from "../../../../src/rate-limit/smoothed-survival.js";

/** The sums before each step, of counts that are the same in every step but for some. */
function sums(each: number, others: Record<number, number> = {}): Float64Array {
  const result = new Float64Array(STEPS + 1);
  for (let step = 0; step < STEPS; step++) result[step + 1] = (result[step] ?? 0) + (others[step] ?? each);
  return result;
}

const SEEN: StepSums = { entered: sums(10), ended: sums(0, { 3: 1, 7: 5 }) };

function survivalAfter(seen: StepSums, spread = 0): SmoothedSurvival {
  const survival = new SmoothedSurvival(spread);
  survival.refresh(seen);
  return survival;
}

test("before anything was seen every task outlives every age", () => {
  const { curve, score } = new SmoothedSurvival(0);
  expect(curve).toEqual(new Float64Array(STEPS + 1).fill(1));
  expect(score).toBe(0);
});

test("of those that enter a step, the share that ends in it lives no longer", () => {
  const { curve } = survivalAfter(SEEN);
  for (const step of [0, 1, 2, 3]) expect(curve[step]).toBe(1);
  for (const step of [4, 5, 6, 7]) expect(curve[step]).toBeCloseTo(0.9, 9);
  for (const step of [8, 100, STEPS]) expect(curve[step]).toBeCloseTo(0.45, 9);
});

test("what was seen later takes the place of what was seen before", () => {
  const survival = survivalAfter(SEEN);
  survival.refresh({ entered: sums(10), ended: sums(0, { 3: 5 }) });
  expect(survival.curve[STEPS]).toBeCloseTo(0.5, 9);
});

test("a spread tells of each step by all that are as near as a share of its age", () => {
  const { from, to } = neighboursWithin(0.1);
  for (let step = 0; step < STEPS; step++) {
    const [begin, end] = [AGES[step] ?? 0, AGES[step + 1] ?? 0];
    expect(from[step]).toBe(stepOf(begin * 0.9));
    // All up to the end, and with it the step in which that lies.
    const last = (to[step] ?? 0) - 1;
    expect(AGES[last]).toBeLessThanOrEqual(Math.max(0, end * 1.1 - 0.9));
    if (last < STEPS - 1) expect(AGES[last + 1]).toBeGreaterThan(end * 1.1 - 1.1);
  }
});

test("no spread tells of each step by itself", () => {
  const { from, to } = neighboursWithin(0);
  for (let step = 0; step < STEPS; step++) {
    expect(from[step]).toBe(step);
    expect(to[step]).toBe(step + 1);
  }
});

test("with a spread, ends about an age are spread about it, and as many end in all", () => {
  const seen = { entered: sums(1000), ended: sums(0, { 400: 10 }) };
  const [sharp, wide] = [survivalAfter(seen), survivalAfter(seen, 0.09)];
  expect(sharp.curve[400]).toBe(1);
  expect(wide.curve[400]).toBeLessThan(1);
  expect(wide.curve[401]).toBeGreaterThan(sharp.curve[401] ?? 0);
  expect(wide.curve[STEPS]).toBeCloseTo(sharp.curve[STEPS] ?? 0, 3);
});

test.each([
  ["over by then, as half of those that were open are", 1750, 2000, true, 0.5],
  ["open then, as half of those that were open are", 1750, 2000, false, 0.5],
  ["over by then, as a quarter is by the middle of the step", 1750, 1875, true, 0.25],
  ["over by then, as one in ten is", 0, 1000, true, 0.1],
  ["open then, as all are", 0, 500, false, 1],
  ["over by then, as nobody is", 0, 500, true, 0],
])("a reading that found a task %s counts by its logarithm", (_, fromMs, toMs, isOver, chance) => {
  const survival = survivalAfter(SEEN);
  survival.judge(fromMs, toMs, isOver);
  expect(survival.score).toBeCloseTo(Math.log(0.001 + 0.999 * chance), 6);
});

test("each reading lets what the earlier ones said fade by a hundredth", () => {
  const survival = survivalAfter(SEEN);
  survival.judge(1750, 2000, true);
  const once = survival.score;
  survival.judge(0, 500, false);
  expect(survival.score).toBeCloseTo(once * 0.99, 6);
});

test("a task that outlived all that is believed possible is believed to be over", () => {
  const survival = survivalAfter({ entered: sums(10), ended: sums(0, { 3: 10 }) });
  survival.judge(2000, 3000, true);
  expect(survival.score).toBeCloseTo(0, 6);
  survival.judge(2000, 3000, false);
  expect(survival.score).toBeCloseTo(Math.log(0.001), 6);
});
