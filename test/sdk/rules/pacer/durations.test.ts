import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AGES, ageBy, Durations, interpolate, STEPS, stepOf } from "../../../../src/rate-limit/durations.js";
import { type Ends, learned } from "./learned.js";

// How long tasks take is learned from polls, which show only between which two ages a task has ended.

const SECOND = 1000;
const LAST = 3590 * SECOND;

/** The share of tasks that are unfinished at an age. */
const unfinishedAt = (durations: Durations, ageMs: number) => interpolate(durations.survival, ageMs);

const evenly = (from: number, to: number) => (share: number) => from + share * (to - from);

describe("the ages", () => {
  test("begin at 0, grow by 250 ms and then by 1 % more each, and end at the last poll", () => {
    expect(AGES[0]).toBe(0);
    expect(AGES[1]).toBeCloseTo(250, 6);
    for (let step = 1; step < STEPS - 1; step++) {
      const [before = 0, age = 0, after = 0] = AGES.subarray(step - 1);
      expect((after - age) / (age - before)).toBeCloseTo(1.01, 6);
    }
    expect(AGES[STEPS]).toBe(LAST);
    expect(AGES).toHaveLength(STEPS + 1);
  });

  test("an age lies in the step that begins with it; those after the last poll in the last one", () => {
    for (let step = 0; step < STEPS; step++) {
      expect(stepOf(AGES[step] as number)).toBe(step);
      expect(stepOf((AGES[step + 1] as number) - 0.01)).toBe(step);
    }
    expect(stepOf(2 * LAST)).toBe(STEPS - 1);
  });

  test("between two ages, a curve is a line; after the last one it stays", () => {
    const curve = AGES.map((age) => 2 * age + 3);
    expect(interpolate(curve, 0)).toBe(3);
    expect(interpolate(curve, 12_345)).toBeCloseTo(2 * 12_345 + 3, 6);
    expect(interpolate(curve, 2 * LAST)).toBe(2 * LAST + 3);
  });
});

test("before anything is learned, half of the tasks take 95 s, and 19 of 20 up to 300 s", () => {
  const durations = new Durations();
  durations.refresh();
  expect(unfinishedAt(durations, 30 * SECOND)).toBeCloseTo(0.97, 1);
  expect(unfinishedAt(durations, 94_868)).toBeCloseTo(0.5, 1);
  expect(unfinishedAt(durations, 300 * SECOND)).toBeCloseTo(0.05, 1);
  expect(durations.ends).toBe(0);
});

describe("what is learned", () => {
  test.each<[string, Ends]>([
    ["30 to 180 s", { tasks: 100, durationMs: evenly(30_000, 180_000) }],
    [
      "30 to 180 s, with polls every 40 s",
      { tasks: 100, durationMs: evenly(30_000, 180_000), gapMs: 40_000 },
    ],
    ["10 or 120 s", { tasks: 100, durationMs: (share) => (share < 0.4 ? 10_000 : 120_000) }],
    ["2 to 40 min", { tasks: 100, durationMs: evenly(120_000, 2_400_000), gapMs: 10_000 }],
    ["1 to 4 s", { tasks: 100, durationMs: evenly(1000, 4000), gapMs: 1000 }],
  ])("follows the distribution: %s", (_, ends) => {
    const durations = learned(ends);
    expect(durations.ends).toBe(100);
    for (let share = 0.025; share < 1; share += 0.05) {
      // What lies within a tenth of an age is spread over that.
      const ageMs = ends.durationMs(share);
      expect(unfinishedAt(durations, 1.1 * ageMs + 250)).toBeLessThan(1 - share + 0.08);
      expect(unfinishedAt(durations, 0.9 * ageMs - 250)).toBeGreaterThan(1 - share - 0.08);
    }
  });

  test("an end is spread over a tenth of its age before and after it", () => {
    const durations = learned({
      tasks: 100,
      gapMs: 1000,
      durationMs: (share) => (share < 0.9 ? 30_000 : 100_000),
    });
    const [begin = 1, early = 1, middle = 1, late = 1, end = 1] = [88, 95, 100, 105, 113].map((seconds) =>
      unfinishedAt(durations, 1000 * seconds),
    );
    expect(begin - early).toBeGreaterThan(0.1 * begin);
    expect(begin - middle).toBeGreaterThan(0.3 * begin);
    expect(late).toBeGreaterThan(0.1 * begin);
    expect(late).toBeLessThan(0.45 * begin);
    expect(end).toBeLessThan(0.2 * begin);
  });

  test("ends that are a quarter of all are not spread", () => {
    const durations = learned({ tasks: 100, gapMs: 1000, durationMs: () => 100_000 });
    expect(unfinishedAt(durations, 97_000)).toBeGreaterThan(0.93);
    expect(unfinishedAt(durations, 103_000)).toBeLessThan(0.1);
  });

  test("changes with the tasks: of 200 later ends of 90 s, and 150 of 60 s, the later ones count about twice as much", () => {
    const durations = learned({ tasks: 150, durationMs: () => 60_000 });
    expect(ageBy(durations, 0.5, 0)).toBeGreaterThan(55_000);
    expect(ageBy(durations, 0.5, 0)).toBeLessThan(65_000);
    learned({ tasks: 200, durationMs: () => 90_000 }, durations);
    // Each end lets the weight of the earlier ones decrease by 1 / 300: 61 and 146 are left, beside 3 from before.
    const earlier = 1 - unfinishedAt(durations, 75_000);
    expect(earlier).toBeGreaterThan(0.27);
    expect(earlier).toBeLessThan(0.32);
  });
});

describe("each poll", () => {
  /** A distribution from which few tasks have an end below 100 s. */
  const late = () => learned({ tasks: 30, durationMs: evenly(100_000, 200_000) });

  test("one that finds a task unfinished makes earlier ends less likely, and is no end", () => {
    const durations = learned({ tasks: 40, durationMs: evenly(50_000, 150_000) });
    const before = unfinishedAt(durations, 60_000);
    for (let task = 0; task < 20; task++) durations.learn(50_000, 60_000, false);
    durations.refresh();
    expect(durations.ends).toBe(40);
    expect(unfinishedAt(durations, 60_000)).toBeGreaterThan(before);
    // Later ends are as likely as before for the tasks that are left.
    const left = unfinishedAt(durations, 100_000) / unfinishedAt(durations, 70_000);
    expect(left).toBeCloseTo(50 / 80, 1);
  });

  test.each([
    ["no later than the one before", 60_000, 60_000],
    ["earlier than the one before", 60_000, 50_000],
    ["after the last one, of a task that was unfinished then", LAST, LAST + 60_000],
    ["without a time", Number.NaN, 60_000],
  ])("one that is %s teaches nothing", (_, unfinishedMs, ageMs) => {
    const durations = late();
    const before = [...durations.survival];
    durations.learn(unfinishedMs, ageMs, true);
    durations.refresh();
    expect([...durations.survival]).toEqual(before);
    expect(durations.ends).toBe(30);
  });

  test.each([-1, -40_000])(
    "one after a reading %i ms from the submission counts as the first one",
    (unfinishedMs) => {
      const [one, other] = [late(), late()];
      one.learn(unfinishedMs, 120_000, true);
      other.learn(0, 120_000, true);
      for (const each of [one, other]) each.refresh();
      expect([...one.survival]).toEqual([...other.survival]);
    },
  );

  test("one that is a millisecond after the one before teaches something", () => {
    const durations = late();
    durations.learn(60_000, 60_000.9, true);
    expect(durations.ends).toBe(30);
    durations.learn(60_000, 60_001, true);
    expect(durations.ends).toBe(31);
  });

  test("one long after the last one counts as if it were the last one", () => {
    const [one, other] = [late(), late()];
    one.learn(50 * 60_000, 70 * 60_000, true);
    other.learn(50 * 60_000, LAST, true);
    for (const each of [one, other]) each.refresh();
    expect([...one.survival]).toEqual([...other.survival]);
  });

  test("an end between two far ages is divided by what is known: between 0 and 150 s, it was after 100 s", () => {
    const durations = late();
    for (let task = 0; task < 100; task++) durations.learn(0, 150_000, true);
    durations.refresh();
    expect(unfinishedAt(durations, 90_000)).toBeGreaterThan(0.87);
    expect(unfinishedAt(durations, 165_000)).toBeLessThan(0.2);
  });
});

/** Any polls: of each, the age when the task was last unfinished, the time until the next poll, and what that found. */
const anyPolls = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1 }), fc.double({ min: 0, max: 1 }), fc.boolean()),
  {
    maxLength: 40,
  },
);

test("after any polls, no share is beyond 0 and 1, none grows, and the overdue time is what is missing of them", () =>
  fc.assert(
    fc.property(anyPolls, (polls) => {
      const durations = new Durations();
      for (const [unfinished, gap, isFinished] of polls) {
        const unfinishedMs = unfinished ** 3 * LAST;
        durations.learn(unfinishedMs, unfinishedMs + gap ** 3 * 600_000, isFinished);
      }
      durations.refresh();
      const { survival, overdue } = durations;
      const broken: number[] = [];
      let overdueMs = 0;
      expect(survival[0]).toBe(1);
      for (let step = 0; step < STEPS; step++) {
        const [before = 0, after = 0] = survival.subarray(step);
        const [from = 0, to = 0] = AGES.subarray(step);
        overdueMs += (to - from) * (1 - (before + after) / 2);
        const difference = Math.abs((overdue[step + 1] as number) - overdueMs);
        if (!(after <= before && after >= 0 && difference < 0.001)) broken.push(step);
      }
      expect(broken).toEqual([]);
    }),
    { numRuns: 10, seed: 25 },
  ));

test("the age by which a share has ended is where that share of the tasks is left", () => {
  const durations = learned({ tasks: 60, durationMs: evenly(30_000, 180_000) });
  for (const unfinishedMs of [0, 20_000, 70_000, 120_123])
    for (const share of [0.1, 0.5, 0.9]) {
      const ageMs = ageBy(durations, share, unfinishedMs);
      expect(ageMs).toBeGreaterThanOrEqual(unfinishedMs);
      const left = unfinishedAt(durations, ageMs) / unfinishedAt(durations, unfinishedMs);
      expect(left).toBeCloseTo(1 - share, 9);
    }
  expect(ageBy(durations, 0, 70_000)).toBe(70_000);
  // Of those that are unfinished at the last poll, no end is known.
  expect(ageBy(durations, 0.5, LAST)).toBe(3_600_000);
  expect(ageBy(durations, 1.5, 0)).toBe(3_600_000);
});
