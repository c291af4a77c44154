import { expect, test } from "vitest";
import { AGES, Durations, interpolate, LAST_POLL_MS, STEPS } from "../../../../src/rate-limit/durations.js";

// Limits: a task typically takes 30 seconds to 5 minutes, and times out after an hour.

type Poll = [unfinishedSeconds: number, ageSeconds: number, isFinished: boolean];

function learn(durations: Durations, polls: readonly Poll[]): Durations {
  for (const [from, to, isFinished] of polls) durations.learn(from * 1000, to * 1000, isFinished);
  durations.refresh();
  return durations;
}

const learned = (...polls: Poll[]) => learn(new Durations(), polls);

/** Polls that find `count` tasks unfinished at one age and finished at a later one. */
const ends = (count: number, unfinished: number, finished: number) =>
  Array.from({ length: count }, (): Poll[] => [
    [0, unfinished, false],
    [unfinished, finished, true],
  ]).flat();

const unfinished = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (): Poll => [from, to, false]);

/** The share of tasks that are unfinished at an age. */
const survivalAt = ({ survival }: Durations, seconds: number) => interpolate(survival, seconds * 1000);

test("age steps start at 250 ms, grow by 1 % and end at the last poll at 55 minutes", () => {
  expect([...AGES.slice(0, 3)]).toEqual([0, 250, expect.closeTo(502.5, 6)]);
  expect([AGES.length, AGES[STEPS], LAST_POLL_MS]).toEqual([STEPS + 1, 3_300_000, 3_300_000]);
  expect(AGES[STEPS - 1]).toBeLessThan(LAST_POLL_MS);
});

test("the initial distribution has a median of 95 s, with 19 of 20 tasks between 30 s and 5 min", () => {
  const durations = learned();
  expect(survivalAt(durations, 0)).toBe(1);
  expect(survivalAt(durations, Math.sqrt(30 * 300))).toBeCloseTo(0.5, 1);
  expect(survivalAt(durations, 30) - survivalAt(durations, 300)).toBeCloseTo(0.94, 1);
  // Some tasks take longer than any tested age.
  expect(survivalAt(durations, 3000)).toBeGreaterThan(0);
  const { survival } = durations;
  for (let step = 0; step < STEPS; step++) {
    expect((survival[step + 1] ?? 0) / (survival[step] ?? 0)).toBeGreaterThan(0.96);
  }
});

test("the share of unfinished tasks never rises with age", () => {
  const polls = Array.from({ length: 50 }, (_, index): Poll => [index, (index + 7) * 2, index % 3 > 0]);
  const { survival } = learned(...polls);
  for (let step = 0; step < STEPS; step++) {
    expect(survival[step + 1]).toBeLessThanOrEqual(survival[step] ?? 0);
    expect(survival[step + 1]).toBeGreaterThanOrEqual(0);
  }
});

test("the initial distribution weighs as much as three tasks", () => {
  const before = survivalAt(learned(), 60);
  expect(survivalAt(learned(...unfinished(3, 0, 60)), 60)).toBeCloseTo(Math.sqrt(before), 1);
  const after = learned(...ends(30, 19, 20));
  expect(survivalAt(after, 15)).toBeGreaterThan(0.9);
  expect(survivalAt(after, 25)).toBeLessThan(0.3);
  expect(after.ends).toBe(30);
});

test("two different durations stay separate in the distribution", () => {
  const durations = learned(
    ...Array.from({ length: 150 }, () => [...ends(1, 59, 60), ...ends(3, 119, 120)]).flat(),
  );
  expect(survivalAt(durations, 50)).toBeGreaterThan(0.97);
  expect(survivalAt(durations, 90)).toBeCloseTo(0.75, 1);
  expect(survivalAt(durations, 150)).toBeLessThan(0.03);
});

test("unfinished tasks change the distribution only up to their age", () => {
  const [before, after] = [learned(), learned(...unfinished(100, 0, 60))];
  expect(survivalAt(before, 60)).toBeLessThan(0.85);
  expect(survivalAt(after, 60)).toBeGreaterThan(0.97);
  const later = (each: Durations) => survivalAt(each, 200) / survivalAt(each, 100);
  expect(later(after)).toBeCloseTo(later(before), 2);
  expect(after.ends).toBe(0);
});

test("a task that two polls find unfinished counts once at each age", () => {
  const once = learned(...unfinished(20, 0, 60));
  const twice = learned(...unfinished(20, 0, 29.9), ...unfinished(20, 29.9, 60));
  for (const age of [10, 29.9, 30, 60, 100])
    expect(survivalAt(twice, age)).toBeCloseTo(survivalAt(once, age), 9);
});

test("an end between two distant polls is attributed to the ages at which other tasks end", () => {
  const durations = learned(...ends(300, 99, 100), ...ends(100, 10, 400));
  expect(survivalAt(durations, 85)).toBeGreaterThan(0.97);
  expect(survivalAt(durations, 115)).toBeLessThan(0.05);
});

test("an end at ages without other ends is spread between its two polls", () => {
  const durations = learned(...ends(300, 99, 100), ...ends(300, 1000, 1400));
  const share = survivalAt(durations, 950);
  expect(share).toBeCloseTo(0.73, 1);
  expect(survivalAt(durations, 1100) / share).toBeGreaterThan(0.3);
  expect(survivalAt(durations, 1300) / share).toBeLessThan(0.1);
  expect(survivalAt(durations, 1600)).toBeLessThan(0.02);
});

test("each hundred new ends reduce the weight of older ones by a third", () => {
  const durations = learned(...ends(300, 59, 60));
  for (const share of [0.73, 0.9, 0.96]) {
    learn(durations, ends(300, 119, 120));
    expect(survivalAt(durations, 90)).toBeCloseTo(share, 1);
  }
  // The initial distribution keeps its weight.
  const { survival } = learn(durations, ends(3000, 119, 120));
  for (let step = 0; step < STEPS; step++) expect(survival[step + 1]).toBeGreaterThan(0);
});

test("40 equal durations narrow the estimate to a second, and different durations are smoothed", () => {
  const equal = learned(...ends(40, 99.5, 100));
  expect(survivalAt(equal, 98.5)).toBeGreaterThan(0.9);
  expect(survivalAt(equal, 101.5)).toBeLessThan(0.05);
  const { survival } = learned(
    ...Array.from({ length: 10 }, (_, index) => ends(1, 49 + 10 * index, 50 + 10 * index)).flat(),
  );
  for (let seconds = 55; seconds < 135; seconds++) {
    const share = interpolate(survival, (seconds + 1) * 1000) / interpolate(survival, seconds * 1000);
    expect(share).toBeLessThan(0.999);
    expect(share).toBeGreaterThan(0.9);
  }
});

test("the share of unfinished tasks is never negative, whatever polls find", () => {
  const late = Array.from({ length: 300 }, (): Poll => [99.9, 100, true]);
  const { survival } = learned(...late, [200, 300, true], ...unfinished(10, 200, 300), [250, 400, true]);
  for (const share of survival) expect(share).toBeGreaterThanOrEqual(0);
});

test("a poll that is not later than the previous one is ignored", () => {
  const polls: Poll[] = [
    [50, 50, true],
    [50, 40, false],
    [60, 50, true],
  ];
  expect(learned(...polls).survival).toEqual(learned().survival);
  const known = learned(...ends(30, 19, 20));
  const survival = Float64Array.from(known.survival);
  expect(learn(known, polls).survival).toEqual(survival);
  expect(known.ends).toBe(30);
});

test("a task that is found finished after the last planned poll counts as finished by then", () => {
  const { survival } = learned([0, 3300, false], [3200, 3500, true]);
  expect(survival.every(Number.isFinite)).toBe(true);
  expect(interpolate(survival, 3_300_000)).toBeLessThan(interpolate(survival, 3_100_000));
  expect(learned([3400, 3500, true]).survival).toEqual(learned().survival);
});

test("`overdue` is the integral of the share of finished tasks over age", () => {
  const { survival, overdue } = learned(...ends(300, 99, 100));
  let area = 0;
  for (let step = 0; step < STEPS; step++) {
    const width = (AGES[step + 1] ?? 0) - (AGES[step] ?? 0);
    area += (1 - ((survival[step] ?? 0) + (survival[step + 1] ?? 0)) / 2) * width;
    expect(overdue[step + 1]).toBeCloseTo(area, 6);
  }
  expect(interpolate(overdue, 200_000)).toBeCloseTo(100_000, -4);
});

test("`interpolate` is linear between ages and constant after the last", () => {
  const line = Float64Array.from(AGES, (age) => 2 * age);
  for (const age of [0, 100, 250, 90_000, LAST_POLL_MS])
    expect(interpolate(line, age)).toBeCloseTo(2 * age, 6);
  expect(interpolate(line, LAST_POLL_MS + 9000)).toBe(2 * LAST_POLL_MS);
});
