import { expect, test } from "vitest";
import { AGES, LAST_CALL_MS, STEPS } from "../../../../src/rate-limit/ages.js";
import { readAges } from "../../../../src/rate-limit/read-ages.js";

const over = Float64Array.from(AGES, (age) => age / 7);

/** Of all tasks these share ends evenly between two ages. */
const endingBetween = (fromMs: number, toMs: number, share: number) =>
  Float64Array.from(AGES, (age) => 1 - share * Math.min(1, Math.max(0, (age - fromMs) / (toMs - fromMs))));

const LAWS: [name: string, survival: Float64Array][] = [
  ["nobody ends", new Float64Array(STEPS + 1).fill(1)],
  ["all end between 60 and 70 s", endingBetween(60_000, 70_000, 1)],
  ["all end in one step", endingBetween(60_000, 60_001, 1)],
  ["half end within the hour", endingBetween(0, LAST_CALL_MS, 0.5)],
];

test.each(LAWS)("the ages go from 0 to the last call, and each is an age of the law: %s", (_, survival) => {
  const { ages, alive, over: overdue } = readAges(survival, over);
  expect(ages[0]).toBe(0);
  expect(ages.at(-1)).toBe(LAST_CALL_MS);
  for (const [place, age] of ages.entries()) {
    const step = AGES.indexOf(age);
    expect(step).toBeGreaterThanOrEqual(0);
    expect(alive[place]).toBe(survival[step]);
    expect(overdue[place]).toBe(over[step]);
    if (place > 0) expect(age).toBeGreaterThan(ages[place - 1] ?? 0);
  }
});

/** Whether nobody need be told apart between two ages: they are near, or next to each other, and few tasks end between. */
function areNear(survival: Float64Array, from: number, to: number): boolean {
  const [begin, end] = [AGES[from] ?? 0, AGES[to] ?? 0];
  const isNear = end <= Math.max(begin + 1000, begin * 1.02);
  return to === from + 1 || (isNear && (survival[from] ?? 0) - (survival[to] ?? 0) <= 0.01);
}

test.each(LAWS)(
  "two ages lie no further apart than 1 s or a 50th of the age, and a hundredth of all tasks: %s",
  (_, survival) => {
    const steps = [...readAges(survival, over).ages].map((age) => AGES.indexOf(age));
    for (const [place, step] of steps.slice(1).entries()) {
      expect(areNear(survival, steps[place] ?? 0, step)).toBe(true);
    }
  },
);

test.each(LAWS)("no age is there that isn't needed: %s", (_, survival) => {
  const steps = [...readAges(survival, over).ages].map((age) => AGES.indexOf(age));
  for (const [place, step] of steps.entries()) {
    if (place === 0 || step === STEPS) continue;
    expect(areNear(survival, steps[place - 1] ?? 0, step + 1)).toBe(false);
  }
});
