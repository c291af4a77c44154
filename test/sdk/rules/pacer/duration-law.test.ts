import { expect, test } from "vitest";
import { AGES, at, STEPS } from "../../../../src/rate-limit/ages.js";
import { DurationLaw } from "../../../../src/rate-limit/duration-law.js";

// Limits: a task typically takes 30 seconds to 5 minutes, and times out after an hour.

const SECOND = 1000;

type Reading = [unfinishedMs: number, ageMs: number, isOver: boolean];

/** Teaches a law what readings found: each unfinished at one age, and over or not at a later one. */
function learned(...readings: Reading[]): DurationLaw {
  const law = new DurationLaw();
  for (const reading of readings) law.learn(...reading);
  law.refresh();
  return law;
}

/** Tasks that were found unfinished at the first of two ages, in seconds, and over at the second. */
const over = (count: number, unfinished: number, ended: number): Reading[] =>
  Array.from({ length: count }, (): Reading[] => [
    [0, unfinished * SECOND, false],
    [unfinished * SECOND, ended * SECOND, true],
  ]).flat();

const unfinished = (count: number, from: number, to: number): Reading[] =>
  Array.from({ length: count }, () => [from * SECOND, to * SECOND, false]);

const survivalAt = (law: DurationLaw, seconds: number) => at(law.survival, seconds * SECOND);

test("before anything is known half of the tasks are believed to take longer than the middle of what is typical", () => {
  const law = new DurationLaw();
  expect(survivalAt(law, 0)).toBe(1);
  expect(survivalAt(law, Math.sqrt(30 * 300))).toBeGreaterThan(0.47);
  expect(survivalAt(law, Math.sqrt(30 * 300))).toBeLessThan(0.53);
});

test("before anything is known 19 tasks in 20 are believed to take what is typical", () => {
  const law = new DurationLaw();
  const typical = survivalAt(law, 30) - survivalAt(law, 300);
  expect(typical).toBeGreaterThan(0.92);
  expect(typical).toBeLessThan(0.97);
});

test("fewer and fewer outlive each age, whatever is learned", () => {
  const readings = Array.from(
    { length: 50 },
    (_, index): Reading => [index * SECOND, (index + 7) * 2 * SECOND, index % 3 > 0],
  );
  const { survival } = learned(...readings);
  for (let step = 0; step < STEPS; step++) {
    expect(survival[step + 1]).toBeLessThanOrEqual(survival[step] ?? 0);
    expect(survival[step + 1]).toBeGreaterThanOrEqual(0);
  }
});

test("a few readings outweigh what was believed", () => {
  const law = learned(...over(30, 19, 20));
  expect(survivalAt(law, 15)).toBeGreaterThan(0.9);
  expect(survivalAt(law, 25)).toBeLessThan(0.3);
});

test("as many as are seen to end about an age are believed to end there", () => {
  const mixed = Array.from({ length: 150 }, () => [...over(1, 59, 60), ...over(3, 119, 120)]).flat();
  const law = learned(...mixed);
  expect(survivalAt(law, 50)).toBeGreaterThan(0.97);
  expect(survivalAt(law, 90)).toBeGreaterThan(0.72);
  expect(survivalAt(law, 90)).toBeLessThan(0.78);
  expect(survivalAt(law, 150)).toBeLessThan(0.03);
});

test("tasks that were seen to outlive an age are believed to, though none of them was seen to end", () => {
  const [before, law] = [new DurationLaw(), learned(...unfinished(100, 0, 60))];
  expect(survivalAt(before, 60)).toBeLessThan(0.85);
  expect(survivalAt(law, 60)).toBeGreaterThan(0.97);
  // Of what comes later they say nothing.
  const later = (one: DurationLaw) => survivalAt(one, 200) / survivalAt(one, 100);
  expect(later(law)).toBeCloseTo(later(before), 2);
});

test("a task that is found unfinished twice counts for each age once", () => {
  const once = learned(...unfinished(20, 0, 60));
  const twice = learned(...unfinished(20, 0, 29.9), ...unfinished(20, 29.9, 60));
  for (const age of [10, 30, 40, 60, 100])
    expect(survivalAt(twice, age)).toBeCloseTo(survivalAt(once, age), 9);
});

test("an end between two ages is believed where the others ended", () => {
  const law = learned(...over(300, 99, 100), ...over(100, 10, 400));
  expect(survivalAt(law, 85)).toBeGreaterThan(0.97);
  expect(survivalAt(law, 115)).toBeLessThan(0.05);
});

test("an end between two ages between which nobody ended so far is believed anywhere between them, evenly", () => {
  const law = learned(...over(300, 99, 100), ...over(300, 1000, 1400));
  expect(survivalAt(law, 900)).toBeGreaterThan(0.6);
  expect(survivalAt(law, 1200) / survivalAt(law, 900)).toBeGreaterThan(0.35);
  expect(survivalAt(law, 1200) / survivalAt(law, 900)).toBeLessThan(0.65);
  expect(survivalAt(law, 1600)).toBeLessThan(0.05);
});

test("laws shift: what was learned long ago fades", () => {
  const law = learned(...over(300, 59, 60));
  // By a 300th with each end: of 300 there are 190 left then, by 300 later ones 70, by 600 26, by 900 9.
  for (const share of [0.73, 0.9, 0.96]) {
    for (const reading of over(300, 119, 120)) law.learn(...reading);
    law.refresh();
    expect(survivalAt(law, 90)).toBeCloseTo(share, 1);
  }
});

test("what all agree in is known more sharply with a few hundred readings that foretold the next ones", () => {
  const law = new DurationLaw();
  const shares: number[] = [];
  for (const readings of [5, 295]) {
    for (const reading of over(readings, 99.5, 100)) {
      law.learn(...reading);
      law.refresh();
    }
    shares.push(survivalAt(law, 98), survivalAt(law, 102));
  }
  const [before = 0, , later = 0, after = 1] = shares;
  expect(before).toBeLessThan(0.9);
  expect(later).toBeGreaterThan(0.95);
  expect(after).toBeLessThan(0.05);
});

test("what is not later than what was known says nothing", () => {
  const law = learned([50_000, 50_000, true], [50_000, 40_000, false], [60_000, 50_000, true]);
  expect(law.survival).toEqual(new DurationLaw().survival);
});

test("and takes nothing from what was known", () => {
  const law = learned(...over(30, 19, 20));
  const known = Float64Array.from(law.survival);
  for (const isOver of [true, false]) law.learn(50_000, 50_000, isOver);
  law.refresh();
  expect(law.survival).toEqual(known);
});

test("before anything is known hardly anybody ends in any one step, the last one included", () => {
  const { survival } = new DurationLaw();
  for (let step = 0; step < STEPS; step++) {
    expect((survival[step + 1] ?? 0) / (survival[step] ?? 0)).toBeGreaterThan(0.97);
  }
});

test("what ends after the last call is believed to end by then", () => {
  const before = new DurationLaw();
  const law = learned([0, 3_500_000, false], [3_200_000, 3_500_000, true]);
  expect(law.survival.every(Number.isFinite)).toBe(true);
  expect(survivalAt(law, 3100)).toBeGreaterThan(survivalAt(before, 3100));
  expect(learned([3_400_000, 3_500_000, true]).survival).toEqual(before.survival);
});

test("nothing is brought up to date before it is asked for", () => {
  const law = new DurationLaw();
  const before = Float64Array.from(law.survival);
  law.learn(0, 60 * SECOND, false);
  expect(law.survival).toEqual(before);
  law.refresh();
  expect(law.survival).not.toEqual(before);
});

test("where nothing was learned nothing is worked out anew", () => {
  const law = learned(...unfinished(1, 0, 60));
  const { readAges } = law;
  law.refresh();
  expect(law.readAges).toBe(readAges);
  law.learn(0, 60 * SECOND, false);
  law.refresh();
  expect(law.readAges).not.toBe(readAges);
});

test("the ages at which tasks may be read are those of what is learned, with how long they are over at each", () => {
  const law = learned(...over(300, 99, 100));
  const { ages, alive, over: overdue } = law.readAges;
  expect(ages[0]).toBe(0);
  expect(ages.at(-1)).toBe(AGES[STEPS]);
  let area = 0;
  for (let step = 0; step < STEPS; step++) {
    const [begin, end] = [AGES[step] ?? 0, AGES[step + 1] ?? 0];
    area += (1 - ((law.survival[step] ?? 0) + (law.survival[step + 1] ?? 0)) / 2) * (end - begin);
    const place = ages.indexOf(end);
    if (place < 0) continue;
    expect(alive[place]).toBe(law.survival[step + 1]);
    expect(overdue[place]).toBeCloseTo(area, 6);
  }
  // A task that took 100 seconds has been over for 100 at an age of 200.
  expect(overdue[ages.findIndex((age) => age >= 200 * SECOND)]).toBeGreaterThan(95 * SECOND);
});
