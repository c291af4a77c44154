import { describe, expect, test } from "vitest";
import { AGES, STEPS } from "../../../../src/rate-limit/durations.js";
import { nextAge, planPolls } from "../../../../src/rate-limit/poll-plan.js";
import { learned } from "./learned.js";

// A plan of polls costs its polls, and the time for which a task is finished before one of them finds it.

const GAP_MS = 5000;
const LAST = AGES[STEPS] as number;

const KINDS = {
  "30 to 180 s": learned({ tasks: 30, durationMs: (share) => 30_000 + 150_000 * share }),
  "20 or 120 s": learned({ tasks: 30, durationMs: (share) => (share < 0.4 ? 20_000 : 120_000) }),
  "1 to 40 min": learned({ tasks: 30, durationMs: (share) => 60_000 + 2_340_000 * share, gapMs: 20_000 }),
  "nothing is known": learned({ tasks: 0, durationMs: () => 0 }),
};

type Kind = (typeof KINDS)["30 to 180 s"];

/** What it costs to poll a task at one of the ages and next at a later one, without the polls after that. */
function costBetween({ survival, overdue }: Kind, from: number, to: number, priceMs: number): number {
  const unfinished = survival[from] as number;
  const overdueMs = (overdue[to] as number) - (overdue[from] as number);
  return (
    priceMs * unfinished + overdueMs - (1 - unfinished) * ((AGES[to] as number) - (AGES[from] as number))
  );
}

/** The lowest cost of all polls after one at each of the ages, if each of them may be at any later one. */
function lowestCosts(kind: Kind, priceMs: number): number[] {
  const costs = Array<number>(STEPS + 1).fill(0);
  for (let from = STEPS - 1; from >= 0; from--) {
    let lowest = costBetween(kind, from, STEPS, priceMs);
    for (let to = from + 1; to < STEPS; to++) {
      if ((AGES[to] as number) < (AGES[from] as number) + GAP_MS) continue;
      lowest = Math.min(lowest, costBetween(kind, from, to, priceMs) + (costs[to] as number));
    }
    costs[from] = lowest;
  }
  return costs;
}

/** The cost of all polls after one at each of the ages, by a plan. A poll between two ages counts as if it were at the later one. */
function costsOf(kind: Kind, plan: Float64Array, priceMs: number): number[] {
  const costs = Array<number>(STEPS + 1).fill(0);
  for (let from = STEPS - 1; from >= 0; from--) {
    const to = AGES.findIndex((ageMs) => ageMs >= (plan[from] as number));
    costs[from] = costBetween(kind, from, to, priceMs) + (costs[to] as number);
  }
  return costs;
}

describe.each(Object.entries(KINDS))("%s", (_, kind) => {
  test.each([20, 500, 5000, 60_000, 1_000_000])("no plan is cheaper if a poll costs %d ms", (priceMs) => {
    const plan = planPolls(kind, priceMs);
    const lowest = lowestCosts(kind, priceMs);
    const excess = costsOf(kind, plan, priceMs).map((costMs, step) =>
      Math.abs(costMs - (lowest[step] as number)),
    );
    expect(Math.max(...excess)).toBeLessThan(0.001);
  });

  test.each([20, 5000, 1_000_000])(
    "if a poll costs %d ms, the next one is after 5 s, or at a later one of the ages",
    (priceMs) => {
      const ages = new Set(AGES);
      const others = planPolls(kind, priceMs).filter((next, step) => {
        const earliest = Math.min(LAST, (AGES[step] as number) + GAP_MS);
        return next !== earliest && !(next > earliest && ages.has(next));
      });
      expect(others).toHaveLength(0);
    },
  );
});

test("polls that cost nothing are 5 s apart while tasks end", () => {
  const plan = planPolls(KINDS["30 to 180 s"], 0);
  const soonest = AGES.filter(
    (ageMs, step) => ageMs > 60_000 && ageMs < 120_000 && plan[step] === ageMs + GAP_MS,
  );
  expect(soonest.length).toBeGreaterThan(20);
});

test("a dearer poll is a later one", () => {
  const kind = KINDS["30 to 180 s"];
  const [cheap, dear] = [planPolls(kind, 100), planPolls(kind, 10_000)];
  for (let ageMs = 0; ageMs < LAST; ageMs += 5000)
    expect(nextAge(dear, ageMs)).toBeGreaterThanOrEqual(nextAge(cheap, ageMs) - 1);
  expect(nextAge(dear, 40_000)).toBeGreaterThan(nextAge(cheap, 40_000) + 3000);
});

describe("between two of the ages", () => {
  const plan = AGES.map((age) => age + 30_000);
  const middle = ((AGES[100] as number) + (AGES[101] as number)) / 2;

  test("the next poll is between theirs", () => {
    expect(nextAge(plan, middle)).toBeCloseTo(middle + 30_000, 6);
  });

  test.each([
    ["more than three times their distance", 3.01, 0],
    ["three times their distance", 3, 1.5],
  ])("where these are apart by %s, it is %d", (_, apart, later) => {
    const distance = (AGES[101] as number) - (AGES[100] as number);
    const jump = Float64Array.from(plan);
    jump[100] = 100_000;
    jump[101] = 100_000 + apart * distance;
    expect(nextAge(jump, middle)).toBeCloseTo(100_000 + later * distance, 6);
  });
});
