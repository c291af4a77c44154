import { LIMITS } from "../contract/limits.js";
import { at } from "./ages.js";
import type { DurationLaw } from "./duration-law.js";
import { nextRead, planReads, type ReadPlan } from "./read-plan.js";

/** A task that waits for its next reading, as far as its price is concerned. */
export interface Reader {
  law: DurationLaw;
  submittedAt: number;
  /** When it was last found unfinished, or submitted. */
  unfinishedAt: number;
  /** When its caller allows the next reading. */
  notBefore: number;
}

/** How many reads there are from now until then. */
export interface ReadBudget {
  reads: number;
  now: number;
  until: number;
}

/** What a read costs, in milliseconds of discovery delay, and how each law's tasks are read at that price. */
export interface ReadPrice {
  ms: number;
  plans: ReadonlyMap<DurationLaw, ReadPlan>;
}

/** How far apart callers want the reads of a task, unless they say otherwise (Limits: Polling). */
const GAP_MS = LIMITS.recommendedPollIntervalMs.shortest;

/** While there is enough for everybody, reads cost nothing and nobody needs a plan. */
export const FREE: ReadPrice = { ms: 0, plans: new Map() };

/** How many tasks are asked what they would do at a price: enough to speak for all. */
const SAMPLE_SIZE = 50;
/** So many stand for those that are still to come. */
const NEWCOMERS = 4;
/** Nearer than this a cheaper price makes no difference, and a dearer one than the hour leaves no read at all. */
const CHEAPEST_MS = 50;
const DEAREST_MS = 3_600_000;
/** However dear reads will be, so much of this window's is spent. */
const LEAST_SPENT = 0.25;
/** How closely the price is found: by the tenth part. */
const PRECISION = 1.1;

/** The highest price at which the plans of the waiting tasks still spend what this window holds, or what it and the next one hold. */
export function findPrice(
  readers: readonly Reader[],
  [here, next]: readonly [ReadBudget, ReadBudget?],
  lastMs: number,
): ReadPrice {
  const stride = Math.ceil(readers.length / SAMPLE_SIZE);
  const sample = readers.filter((_, index) => index % stride === 0);
  const laws = [...new Set(sample.map(({ law }) => law))];
  const demandOf = (budget: ReadBudget, readsOf: (reader: Reader) => number) => {
    const reads = sample.reduce((sum, reader) => sum + readsOf(reader), 0);
    const later = laws.reduce((sum, law) => sum + newcomersReads(law, budget, readsOf), 0);
    return (reads * readers.length) / sample.length + later;
  };
  const isPlenty = (budget: ReadBudget) =>
    demandOf(budget, (reader) => mostReads(reader, budget)) <= budget.reads;
  // Mostly there is, and no law need be asked.
  if (isPlenty(here) && (next === undefined || isPlenty(next))) return FREE;

  for (const law of laws) law.refresh();
  const priceAt = (ms: number): ReadPrice => ({
    ms,
    plans: new Map(laws.map((law) => [law, planReads(law.readAges, ms, GAP_MS)])),
  });
  const demandAt = (price: ReadPrice, budget: ReadBudget) =>
    demandOf(budget, (reader) => expectedReads(reader, price, budget));
  const isTooCheap = (price: ReadPrice) => {
    const demand = demandAt(price, here);
    if (demand > here.reads) return true;
    // What a window leaves unspent is lost.
    if (demand < LEAST_SPENT * here.reads) return false;
    return next !== undefined && demandAt(price, next) > next.reads;
  };

  if (!isTooCheap(FREE)) return FREE;
  // The price is seldom far from the last one.
  let low = Math.max(CHEAPEST_MS, lastMs / PRECISION);
  while (low > CHEAPEST_MS && !isTooCheap(priceAt(low))) low = Math.max(CHEAPEST_MS, low / 4);
  let high = low * PRECISION ** 2;
  while (high < DEAREST_MS && isTooCheap(priceAt(high))) [low, high] = [high, high * 4];
  while (high / low > PRECISION) {
    const middle = Math.sqrt(low * high);
    if (isTooCheap(priceAt(middle))) low = middle;
    else high = middle;
  }
  return priceAt(low);
}

/** How many reads the tasks will take that are still to be submitted until the budget's end, evenly. */
function newcomersReads(law: DurationLaw, budget: ReadBudget, readsOf: (reader: Reader) => number): number {
  const partMs = (budget.until - budget.now) / NEWCOMERS;
  let reads = 0;
  for (let part = 0; part < NEWCOMERS; part++) {
    const submittedAt = budget.now + (part + 0.5) * partMs;
    const newcomer = { law, submittedAt, unfinishedAt: submittedAt, notBefore: submittedAt + GAP_MS };
    reads += law.newcomers.within(budget.now, partMs) * readsOf(newcomer);
  }
  return reads;
}

/** How often a task will be read until the budget's end if reads are free and it isn't over before. */
function mostReads({ unfinishedAt, notBefore }: Reader, { now, until }: ReadBudget): number {
  const first = Math.max(unfinishedAt, notBefore, now);
  return Math.max(0, Math.ceil((until - first) / GAP_MS));
}

/** How often a task will probably be read until the budget's end. */
function expectedReads(reader: Reader, { plans }: ReadPrice, { now, until }: ReadBudget): number {
  const { law, submittedAt } = reader;
  const plan = plans.get(law);
  const end = until - submittedAt;
  let unfinished = reader.unfinishedAt - submittedAt;
  let next = Math.max(nextRead(plan, unfinished), reader.notBefore - submittedAt, now - submittedAt);
  let [reads, stillOpen] = [0, 1];
  while (next < end && stillOpen > 0.01) {
    reads += stillOpen;
    const alive = at(law.survival, unfinished);
    stillOpen *= alive > 0 ? at(law.survival, next) / alive : 0;
    unfinished = next;
    next = Math.max(nextRead(plan, unfinished), unfinished + GAP_MS);
  }
  return reads;
}
