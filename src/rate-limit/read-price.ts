import { LIMITS } from "../contract/service.js";
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
  /** When its caller wants the next reading at the latest, as long as the budget is not scarce. */
  dueBy?: number;
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
  /** Whether the budget suffices to keep the longest gap of every caller. */
  keepsLongestGap: boolean;
}

/** How far apart callers want the reads of a task, unless they say otherwise (Limits: Polling). */
const GAP_MS = LIMITS.recommendedPollIntervalMs.shortest;
const LONGEST_GAP_MS = LIMITS.recommendedPollIntervalMs.longest;
/** The longest gaps are kept while they take no more than this share of the budget: the rest is spent on the likely ends. */
const LONGEST_GAPS_SHARE = 0.8;

/** While there is enough for everybody, reads cost nothing and nobody needs a plan. */
export const FREE: ReadPrice = { ms: 0, plans: new Map(), keepsLongestGap: true };

/** How many tasks are asked what they would do at a price: enough to speak for all. */
const SAMPLE_SIZE = 50;
/** So many stand for those that are still to come. */
const NEWCOMERS = 4;
/** Nearer than this a cheaper price makes no difference, and a dearer one than the hour leaves no read at all. */
const CHEAPEST_MS = 10;
const DEAREST_MS = 3_600_000;
/** A read costs at most this many times as long as it takes to read all waiting tasks once: no task gains from a later read. */
const DEAREST = 2;
/** However dear reads will be, this share of this window's is spent. */
const LEAST_SPENT = 0.5;
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
  const budgets = next === undefined ? [here] : [here, next];
  const suffices = (gapMs: number, share: number) =>
    budgets.every(
      (budget) => demandOf(budget, (reader) => readsAt(gapMs, reader, budget)) <= share * budget.reads,
    );
  // Mostly it does, and no law need be asked.
  if (suffices(GAP_MS, 1)) return FREE;
  const keepsLongestGap = suffices(LONGEST_GAP_MS, LONGEST_GAPS_SHARE);

  for (const law of laws) law.refresh();
  const priceAt = (ms: number): ReadPrice => ({
    ms,
    keepsLongestGap,
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
  const { reads, now, until } = next ?? here;
  const dearestMs = Math.min(DEAREST_MS, (DEAREST * readers.length * (until - now)) / Math.max(1, reads));
  // The price is seldom far from the last one.
  let low = Math.max(CHEAPEST_MS, lastMs / PRECISION);
  while (low > CHEAPEST_MS && !isTooCheap(priceAt(low))) low = Math.max(CHEAPEST_MS, low / 4);
  low = Math.min(low, dearestMs);
  let high = Math.min(dearestMs, low * PRECISION ** 2);
  while (high < dearestMs && isTooCheap(priceAt(high))) [low, high] = [high, Math.min(dearestMs, high * 4)];
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
    const newcomer = {
      law,
      submittedAt,
      unfinishedAt: submittedAt,
      notBefore: submittedAt + GAP_MS,
      dueBy: submittedAt + LONGEST_GAP_MS,
    };
    reads += law.newcomers.within(budget.now, partMs) * readsOf(newcomer);
  }
  return reads;
}

/** How often a task will be read until the budget's end with one gap, if it isn't over before. */
function readsAt(gapMs: number, { unfinishedAt, notBefore }: Reader, { now, until }: ReadBudget): number {
  const first = Math.max(unfinishedAt, notBefore, now);
  return Math.max(0, Math.ceil((until - first) / gapMs));
}

/** When a task is read next, if there is room. */
export function nextReadAt(
  { plans, keepsLongestGap }: ReadPrice,
  { law, submittedAt, unfinishedAt, notBefore, dueBy = Number.POSITIVE_INFINITY }: Reader,
): number {
  const planned = submittedAt + nextRead(plans.get(law), unfinishedAt - submittedAt);
  return Math.max(notBefore, keepsLongestGap ? Math.min(planned, dueBy) : planned);
}

/** How often a task will probably be read until the budget's end. */
function expectedReads(reader: Reader, price: ReadPrice, { now, until }: ReadBudget): number {
  const { law, submittedAt } = reader;
  let unfinishedAt = reader.unfinishedAt;
  let readAt = Math.max(nextReadAt(price, reader), now);
  let [reads, stillOpen] = [0, 1];
  while (readAt < until && stillOpen > 0.01) {
    reads += stillOpen;
    const alive = at(law.survival, unfinishedAt - submittedAt);
    stillOpen *= alive > 0 ? at(law.survival, readAt - submittedAt) / alive : 0;
    unfinishedAt = readAt;
    const gaps = { notBefore: readAt + GAP_MS, dueBy: readAt + LONGEST_GAP_MS };
    readAt = nextReadAt(price, { law, submittedAt, unfinishedAt, ...gaps });
  }
  return reads;
}
