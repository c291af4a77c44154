import fc from "fast-check";
import { expect, test } from "vitest";
import { AGES, LAST_CALL_MS, STEPS } from "../../../../src/rate-limit/ages.js";
import { DurationLaw } from "../../../../src/rate-limit/duration-law.js";
import type { ReadAges } from "../../../../src/rate-limit/read-ages.js";
import { readAges } from "../../../../src/rate-limit/read-ages.js";
import { nextRead, planReads } from "../../../../src/rate-limit/read-plan.js";

/** A law by the shares that outlive each of some ages a second apart; between them as many end in each moment. */
function lawOf(endings: readonly number[]): ReadAges {
  const total = endings.reduce((sum, ending) => sum + ending, 1);
  const ages = Float64Array.from({ length: endings.length + 1 }, (_, place) => place * 1000);
  const alive = new Float64Array(ages.length).fill(1);
  const over = new Float64Array(ages.length);
  for (const [place, ending] of endings.entries()) {
    alive[place + 1] = (alive[place] ?? 0) - ending / total;
    over[place + 1] = (over[place] ?? 0) + (1 - ((alive[place] ?? 0) + (alive[place + 1] ?? 0)) / 2) * 1000;
  }
  return { ages, alive, over };
}

/** What a plan costs from an age on: the delay of those that end before each read, and the price of each that is made. */
function costOf({ ages, alive, over }: ReadAges, from: number, to: number, priceMs: number): number {
  const passed = (ages[to] ?? 0) - (ages[from] ?? 0);
  const delay = (over[to] ?? 0) - (over[from] ?? 0) - (1 - (alive[from] ?? 0)) * passed;
  return delay + priceMs * (alive[from] ?? 0);
}

/** The least that any plan costs from each age on. */
function leastCosts(law: ReadAges, priceMs: number): number[] {
  const last = law.ages.length - 1;
  const least = Array<number>(last + 1).fill(0);
  for (let from = last - 1; from >= 0; from--) {
    const costs = least.flatMap((later, to) => (to > from ? [costOf(law, from, to, priceMs) + later] : []));
    least[from] = Math.min(...costs);
  }
  return least;
}

test("no plan costs less, whatever the law and the price", () => {
  const endings = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(endings, fc.integer({ min: 0, max: 8000 }), (ends, priceMs) => {
      const law = lawOf(ends);
      const { ages, next } = planReads(law, priceMs, 0);
      const least = leastCosts(law, priceMs);
      expect(ages).toEqual(law.ages);
      const last = ages.length - 1;
      for (let from = 0; from < last; from++) {
        const to = ages.indexOf(next[from] ?? -1);
        expect(to).toBeGreaterThan(from);
        expect(costOf(law, from, to, priceMs) + (least[to] ?? 0)).toBeCloseTo(least[from] ?? 0, 6);
      }
    }),
    { numRuns: 300, seed: 2 },
  );
});

test("what is open at the last of the ages is read at the last call", () => {
  const { next } = planReads(lawOf([1, 2, 3]), 100, 0);
  expect(next.at(-1)).toBe(LAST_CALL_MS);
});

test("free reads come as close together as the gap allows, and no closer", () => {
  const law = lawOf(Array<number>(30).fill(1));
  const { ages, next } = planReads(law, 0, 5000);
  for (const [place, age] of ages.entries()) {
    const expected = place === 30 ? LAST_CALL_MS : Math.min(30_000, age + 5000);
    expect(next[place]).toBe(expected);
  }
});

test("the dearer a read the fewer there are", () => {
  const { readAges: law } = new DurationLaw();
  const reads = [0, 1000, 10_000, 100_000].map((priceMs) => {
    const plan = planReads(law, priceMs, 5000);
    let count = 0;
    for (let age = 0; age < LAST_CALL_MS; age = nextRead(plan, age)) count++;
    return count;
  });
  expect(reads).toEqual([...reads].sort((one, other) => other - one));
  expect(new Set(reads).size).toBe(reads.length);
});

test("where all tasks end at once, one read suffices for those that have not been read", () => {
  const survival = Float64Array.from(AGES, (age) => (age < 60_000 ? 1 : 0));
  const over = Float64Array.from(AGES, (age) => Math.max(0, age - 60_000));
  const plan = planReads(readAges(survival, over), 1000, 5000);
  expect(plan.next[0]).toBeGreaterThanOrEqual(60_000);
  expect(plan.next[0]).toBeLessThan(61_000);
});

test("without a plan a read costs nothing, and may come at once", () => {
  expect(nextRead(undefined, 7000)).toBe(7000);
});

test.each([
  ["without a plan", undefined],
  ["with one", planReads(new DurationLaw().readAges, 1000, 5000)],
])("what was open at the last call is read when the service's hour is over: %s", (_, plan) => {
  expect(nextRead(plan, LAST_CALL_MS - 1)).toBeLessThanOrEqual(LAST_CALL_MS);
  expect(nextRead(plan, LAST_CALL_MS)).toBe(3_601_000);
  expect(nextRead(plan, LAST_CALL_MS + 9000)).toBe(3_601_000);
});

test("between two ages of a plan the next read lies evenly between theirs", () => {
  const plan = { ages: Float64Array.of(0, 1000, 3000, 4000), next: Float64Array.of(500, 2000, 5000, 9000) };
  const expected: [ageMs: number, nextMs: number][] = [
    [0, 500],
    [500, 1250],
    [999, 1998.5],
    [1000, 2000],
    [1500, 2750],
    [2000, 3500],
    [3000, 5000],
    [3250, 6000],
    [4000, 9000],
  ];
  for (const [age, next] of expected) expect(nextRead(plan, age)).toBeCloseTo(next, 6);
});

test("the ages of a plan are those of the law", () => {
  const { readAges: law } = new DurationLaw();
  expect(planReads(law, 1000, 5000).ages.at(-1)).toBe(AGES[STEPS]);
});
