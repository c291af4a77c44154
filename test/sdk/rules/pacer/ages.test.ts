import { expect, test } from "vitest";
import { AGES, at, LAST_CALL_MS, STEPS, shareOf, stepOf, widthOf } from "../../../../src/rate-limit/ages.js";

const steps = Array.from({ length: STEPS }, (_, step) => step);
const from = (step: number) => AGES[step] ?? Number.NaN;

test("the ages go from 0 to five minutes before the hour, each step no shorter than the one before", () => {
  expect(AGES).toHaveLength(STEPS + 1);
  expect(from(0)).toBe(0);
  expect(LAST_CALL_MS).toBe(55 * 60_000);
  expect(from(STEPS)).toBe(LAST_CALL_MS);
  expect(widthOf(0)).toBe(250);
  for (const step of steps.slice(1, -1)) {
    expect(widthOf(step)).toBeCloseTo(from(step + 1) - from(step), 9);
    expect(widthOf(step)).toBeGreaterThan(widthOf(step - 1) - 1e-6);
    // Later ones are as long as a hundredth of the age.
    expect(widthOf(step) / from(step)).toBeLessThan(step < 100 ? 1.01 : 0.0101);
  }
});

test("an age lies in the step that begins with it, or before it", () => {
  for (const step of steps) {
    expect(stepOf(from(step))).toBe(step);
    expect(stepOf((from(step) + from(step + 1)) / 2)).toBe(step);
    expect(stepOf(from(step + 1) - 0.01)).toBe(step);
  }
});

test("what is older lies in the last step", () => {
  expect(stepOf(LAST_CALL_MS)).toBe(STEPS - 1);
  expect(stepOf(99 * LAST_CALL_MS)).toBe(STEPS - 1);
});

test.each([
  [1000, 1250, 1],
  [0, 9000, 1],
  [1000, 1125, 0.5],
  [1200, 1300, 0.2],
  [1050, 1100, 0.2],
  [0, 1000, 0],
  [1250, 2000, 0],
  [0, 500, 0],
])("of the step from 1000 to 1250 ms this share lies between %i and %i: %d", (fromMs, toMs, share) => {
  expect(shareOf(4, fromMs, toMs)).toBeCloseTo(share, 9);
});

test("a curve is straight between two steps", () => {
  const curve = Float64Array.from(AGES, (_, step) => step ** 2);
  expect(at(curve, 0)).toBe(0);
  expect(at(curve, 1000)).toBeCloseTo(16, 6);
  expect(at(curve, 1125)).toBeCloseTo(20.5, 6);
  expect(at(curve, LAST_CALL_MS)).toBeCloseTo(STEPS ** 2, 6);
  expect(at(curve, 2 * LAST_CALL_MS)).toBeCloseTo(STEPS ** 2, 6);
});
