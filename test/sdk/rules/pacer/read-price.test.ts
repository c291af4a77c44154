import { expect, test, vi } from "vitest";
import { at } from "../../../../src/rate-limit/ages.js";
import { DurationLaw } from "../../../../src/rate-limit/duration-law.js";
import { nextRead, planReads } from "../../../../src/rate-limit/read-plan.js";
import { FREE, findPrice, type ReadBudget, type Reader } from "../../../../src/rate-limit/read-price.js";

// Limits: polling is recommended every 5 to 10 seconds; tasks typically take 30 seconds to 5 minutes.

const MINUTE = 60_000;
const GAP_MS = 5000;

const budget = (reads: number, now: number, until: number): ReadBudget => ({ reads, now, until });

/** Tasks that were submitted one second after the other, the last of them now, and not read yet. */
function readersOf(law: DurationLaw, count: number, now: number): Reader[] {
  return Array.from({ length: count }, (_, index) => {
    const submittedAt = now - index * 1000;
    return { law, submittedAt, unfinishedAt: submittedAt, notBefore: submittedAt + GAP_MS };
  });
}

/** How many reads a task takes on average until a time, when a read costs so much. */
function readsOf(reader: Reader, priceMs: number, { now, until }: ReadBudget): number {
  const { law, submittedAt, unfinishedAt, notBefore } = reader;
  const plan = priceMs === 0 ? undefined : planReads(law.readAges, priceMs, GAP_MS);
  const alive = (time: number) => at(law.survival, time - submittedAt);
  let [reads, seenAt] = [0, unfinishedAt];
  const next = () => submittedAt + nextRead(plan, seenAt - submittedAt);
  for (let time = Math.max(next(), notBefore, now); time < until; time = Math.max(next(), seenAt + GAP_MS)) {
    const open = alive(seenAt) / alive(unfinishedAt);
    // What is nearly certain to be over is not foreseen to be read on and on.
    if (!(open > 0.01)) break;
    reads += open;
    seenAt = time;
  }
  return reads;
}

const demandOf = (readers: readonly Reader[], priceMs: number, until: ReadBudget) =>
  readers.reduce((sum, reader) => sum + readsOf(reader, priceMs, until), 0);

test("while there is enough for everybody reads are free", () => {
  const readers = readersOf(new DurationLaw(), 5, MINUTE);
  expect(findPrice(readers, [budget(100, MINUTE, 2 * MINUTE)], 0)).toBe(FREE);
  expect(FREE).toEqual({ ms: 0, plans: new Map(), keepsLongestGap: true });
});

test("no law is asked where all may be read every five seconds until the end, and one read less is worth a question", () => {
  const law = new DurationLaw();
  const refresh = vi.spyOn(law, "refresh");
  // Their first reads are 5, 4, 3, 2 and 1 s away, and two may be read now.
  const readers = readersOf(law, 7, 5 * MINUTE);
  const reads = 11 + 12 * 6;
  const [minute, longer] = [6 * MINUTE, 7 * MINUTE];
  const here = budget(reads, 5 * MINUTE, minute);
  expect(findPrice(readers, [here], 0)).toBe(FREE);
  expect(findPrice(readers, [here, budget(reads + 12 * 7, 5 * MINUTE, longer)], 0)).toBe(FREE);
  expect(refresh).not.toHaveBeenCalled();
  findPrice(readers, [here, budget(reads + 12 * 7 - 1, 5 * MINUTE, longer)], 0);
  expect(refresh).toHaveBeenCalledTimes(1);
  findPrice(readers, [budget(reads - 1, 5 * MINUTE, minute)], 0);
  expect(refresh).toHaveBeenCalledTimes(2);
});

test.each([
  [20, 20, 20],
  [40, 25, 60],
  [50, 33, 60],
  [50, 3, 30],
])(
  "%i tasks for which there are no more than %i reads within %i s pay what makes them take so many",
  (tasks, reads, seconds) => {
    const law = new DurationLaw();
    const readers = readersOf(law, tasks, 5 * MINUTE);
    const here = budget(reads, 5 * MINUTE, 5 * MINUTE + seconds * 1000);
    expect(demandOf(readers, 0, here)).toBeGreaterThan(reads);
    const { ms, plans } = findPrice(readers, [here], 0);
    expect(plans).toEqual(new Map([[law, planReads(law.readAges, ms, GAP_MS)]]));
    // The highest price at which they still take what there is, but for a tenth.
    expect(demandOf(readers, ms, here)).toBeGreaterThanOrEqual(reads);
    expect(demandOf(readers, ms * 1.1, here)).toBeLessThanOrEqual(reads);
  },
);

test.each([0, 50, 700, 20_000, 3_000_000])(
  "the price is nearly the same whatever the last one was: %i ms",
  (lastMs) => {
    const readers = readersOf(new DurationLaw(), 50, 5 * MINUTE);
    const here = budget(60, 5 * MINUTE, 6 * MINUTE);
    const price = findPrice(readers, [here], 1000);
    const { ms } = findPrice(readers, [here], lastMs);
    expect(ms / price.ms).toBeGreaterThan(1 / 1.11);
    expect(ms / price.ms).toBeLessThan(1.11);
  },
);

test("the fewer reads there are, and the more tasks, the dearer is each", () => {
  const law = new DurationLaw();
  const priceOf = (tasks: number, reads: number) =>
    findPrice(readersOf(law, tasks, 5 * MINUTE), [budget(reads, 5 * MINUTE, 6 * MINUTE)], 0).ms;
  const byReads = [200, 100, 50, 25].map((reads) => priceOf(50, reads));
  expect(byReads).toEqual([...byReads].sort((one, other) => one - other));
  expect(new Set(byReads).size).toBe(4);
  expect(priceOf(50, 50)).toBeGreaterThan(priceOf(30, 50));
});

test("a few of many tasks speak for all", () => {
  const law = new DurationLaw();
  const some = readersOf(law, 50, 5 * MINUTE);
  const many = some.flatMap((reader) => Array<Reader>(20).fill(reader));
  const few = findPrice(some, [budget(60, 5 * MINUTE, 6 * MINUTE)], 0);
  const all = findPrice(many, [budget(1200, 5 * MINUTE, 6 * MINUTE)], 0);
  expect(all.ms / few.ms).toBeGreaterThan(1 / 1.11);
  expect(all.ms / few.ms).toBeLessThan(1.11);
});

test("where there is nothing at all, no read is dearer than an hour of waiting is worth", () => {
  const readers = readersOf(new DurationLaw(), 20, 5 * MINUTE);
  const { ms } = findPrice(readers, [budget(0, 5 * MINUTE, 99 * MINUTE)], 0);
  expect(ms).toBeGreaterThan(3_600_000 / 1.1);
  expect(ms).toBeLessThan(4 * 3_600_000);
});

test("tasks that are still to come raise the price", () => {
  const here = budget(30, 5 * MINUTE, 7 * MINUTE);
  const priceWith = (newcomers: number) => {
    const law = new DurationLaw();
    for (let index = 0; index < newcomers; index++) law.newcomers.note(5 * MINUTE);
    return findPrice(readersOf(law, 10, 5 * MINUTE), [here], 0).ms;
  };
  const prices = [0, 10, 30].map(priceWith);
  expect(prices).toEqual([...prices].sort((one, other) => one - other));
  expect(new Set(prices).size).toBe(3);
});

test("what is to come until the next window's end counts against both windows, unless this one's would be lost", () => {
  const law = new DurationLaw();
  const readers = readersOf(law, 30, 5 * MINUTE);
  const here = budget(1000, 5 * MINUTE, 5 * MINUTE + 20_000);
  const demand = demandOf(readers, 0, here);
  const next = budget(demand, 5 * MINUTE, 7 * MINUTE);
  expect(demandOf(readers, 0, next)).toBeGreaterThan(1.5 * demand);
  // Reads that nobody wants now are not saved for later.
  expect(findPrice(readers, [here, next], 0)).toBe(FREE);
  const scarce = budget(demand * 2, 5 * MINUTE, 5 * MINUTE + 20_000);
  expect(findPrice(readers, [scarce], 0)).toBe(FREE);
  expect(findPrice(readers, [scarce, next], 0).ms).toBeGreaterThan(0);
  expect(findPrice(readers, [scarce, { ...next, reads: 1e6 }], 0)).toBe(FREE);
  const wanted = demandOf(readers, 0, next);
  expect(findPrice(readers, [scarce, { ...next, reads: wanted * 1.02 }], 0)).toBe(FREE);
  expect(findPrice(readers, [scarce, { ...next, reads: wanted * 0.98 }], 0).ms).toBeGreaterThan(0);
});

test("half of what this window holds is spent, however dear the next one's reads will be", () => {
  const readers = readersOf(new DurationLaw(), 30, 5 * MINUTE);
  const until = 5 * MINUTE + 20_000;
  const here = budget(demandOf(readers, 0, budget(0, 5 * MINUTE, until)), 5 * MINUTE, until);
  const { ms } = findPrice(readers, [here, budget(1, 5 * MINUTE, 7 * MINUTE)], 0);
  expect(demandOf(readers, ms, here)).toBeGreaterThanOrEqual(0.5 * here.reads);
  expect(demandOf(readers, ms * 1.11, here)).toBeLessThanOrEqual(0.5 * here.reads + 0.01);
});

test("each law's tasks are read by a plan of their own", () => {
  const [short, long] = [new DurationLaw(), new DurationLaw()];
  for (let task = 0; task < 60; task++) {
    short.learn(0, 30_000, true);
    long.learn(0, 200_000, false);
  }
  const readers = [...readersOf(short, 20, 5 * MINUTE), ...readersOf(long, 20, 5 * MINUTE)];
  const { ms, plans } = findPrice(readers, [budget(20, 5 * MINUTE, 6 * MINUTE)], 0);
  // What was learned is in it already.
  expect(plans.get(short)).toEqual(planReads(short.readAges, ms, GAP_MS));
  expect(nextRead(plans.get(short), 0)).toBeLessThan(40_000);
  expect(nextRead(plans.get(long), 0)).toBeGreaterThan(150_000);
  expect(plans.size).toBe(2);
});

test("a task that its caller does not want to be read before the end takes no read", () => {
  const law = new DurationLaw();
  const later = readersOf(law, 30, 5 * MINUTE).map((reader) => ({ ...reader, notBefore: 6 * MINUTE }));
  expect(findPrice(later, [budget(0, 5 * MINUTE, 6 * MINUTE)], 0)).toBe(FREE);
  expect(findPrice(later, [budget(0, 5 * MINUTE, 6 * MINUTE + 1)], 0).ms).toBeGreaterThan(0);
});

test.each([30, 60, 100, 200])(
  "a task of %i s is foreseen to be read as often as it will still be open",
  (seconds) => {
    const now = 5 * MINUTE;
    const submittedAt = now - seconds * 1000;
    const reader = { law: new DurationLaw(), submittedAt, unfinishedAt: submittedAt, notBefore: now };
    const readers = Array<Reader>(10).fill(reader);
    const free = demandOf(readers, 0, budget(0, now, now + MINUTE));
    expect(findPrice(readers, [budget(free * 1.02, now, now + MINUTE)], 0)).toBe(FREE);
    expect(findPrice(readers, [budget(free * 0.98, now, now + MINUTE)], 0).ms).toBeGreaterThan(0);
  },
);

test("tasks that are still to come are read like the others, from five seconds after they are submitted", () => {
  const now = 5 * MINUTE;
  const law = new DurationLaw();
  // Ten a minute: one in each quarter of 24 seconds, which is read 4, 2, 1 and 0 times until their end.
  for (let task = 0; task < 10; task++) law.newcomers.note(now);
  const [idle] = readersOf(law, 1, now).map((reader) => ({ ...reader, notBefore: now + MINUTE }));
  if (idle === undefined) throw new Error("Invariant: there is a reader.");
  expect(findPrice([idle], [budget(7.5, now, now + 24_000)], 0)).toBe(FREE);
  expect(findPrice([idle], [budget(6.5, now, now + 24_000)], 0).ms).toBeGreaterThan(0);
});
