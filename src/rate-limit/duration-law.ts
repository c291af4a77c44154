import { LIMITS } from "../contract/service.js";
import { AGES, STEPS, shareOf, stepOf, widthOf } from "./ages.js";
import { Demand } from "./demand.js";
import { type ReadAges, readAges } from "./read-ages.js";
import { SmoothedSurvival, type StepSums } from "./smoothed-survival.js";

/** What is believed before anything was seen weighs as much as this many tasks: a few readings outweigh it. */
const PRIOR_TASKS = 3;
/** Of those, the share that is believed to be there still at any age, so that what is seen of late ones weighs as well. */
const PRIOR_TAIL = 0.02;
/** How steep that belief is: with the third power, what is typical holds for 19 tasks in 20 (Limits: Task duration). */
const PRIOR_POWER = 3;
/** Each task that ends lets what was learned before it fade by this share: laws shift, and 300 tasks tell one well. */
const FADING = 1 / 300;
/** Over which share of an age tasks are spread: as a few hundred tasks of any law want it, first, or as sharper laws do. */
const SPREADS = [0.09, 0.02, 0.003];
/** By how much a curve must have foretold better to be believed in the place of another. */
const LEAD = 1;

/** With fewer ends than this the prior still outweighs what was learned, and reads explore. */
const UNLEARNED_ENDS = 20;
/** How many reads explore an age. */
const EXPLORERS = 3;
/** How many more follow each that finds an end: where nearly all have ended, they multiply. */
const MORE_EXPLORERS = 2;
/** The next age explored is longer than the last one by at least this factor. */
const EXPLORED_STEP = 1.5;
/** No task younger than this is explored. */
const YOUNGEST_EXPLORED_MS = 10_000;

/**
 * How long the tasks of one model and type take, learned from readings. A reading tells only that a task ended
 * between two ages, or that it outlived one: so the law counts, for each step of age, how many tasks were seen to
 * enter it and how many of them ended in it. An end that may lie in several steps is shared among them as the law
 * itself has it so far.
 */
export class DurationLaw {
  /** The tasks of this kind that are submitted. */
  readonly newcomers: Demand = new Demand();
  readonly #entered: Float64Array = new Float64Array(STEPS);
  readonly #ended: Float64Array = new Float64Array(STEPS);
  readonly #curves = SPREADS.map((spread) => new SmoothedSurvival(spread));
  #believed = this.#curves[0] ?? new SmoothedSurvival(0);
  #readAges = readAges(this.survival, overdueOf(this.survival));
  #isStale = true;
  #ends = 0;
  #exploredMs = YOUNGEST_EXPLORED_MS / EXPLORED_STEP;
  #moreExplorers = 0;

  constructor() {
    this.refresh();
  }

  /** Whether only a few ends were learned. */
  get isUnlearned(): boolean {
    return this.#ends < UNLEARNED_ENDS;
  }

  /** How many tasks to read now in order to learn, when the oldest one has this age. */
  explorers(ageMs: number): number {
    let explorers = this.#moreExplorers;
    if (ageMs >= this.#exploredMs * EXPLORED_STEP) {
      this.#exploredMs = ageMs;
      explorers += EXPLORERS;
    }
    this.#moreExplorers = 0;
    return explorers;
  }

  /** The share of tasks that outlive each age. */
  get survival(): Float64Array {
    return this.#believed.curve;
  }

  /** The ages at which its tasks may be read. */
  get readAges(): ReadAges {
    return this.#readAges;
  }

  /** A task was found over, or not, at an age; it had last been found unfinished at an earlier one. */
  learn(unfinishedMs: number, ageMs: number, isOver: boolean): void {
    const to = Math.min(ageMs, AGES[STEPS] ?? 0);
    if (!(to > unfinishedMs)) return;
    for (const curve of this.#curves) curve.judge(unfinishedMs, to, isOver);
    if (isOver) {
      this.#ends++;
      this.#moreExplorers += MORE_EXPLORERS;
      this.#learnEnd(unfinishedMs, to);
    } else
      this.#countSteps(unfinishedMs, to, (step) => add(this.#entered, step, shareOf(step, unfinishedMs, to)));
    this.#isStale = true;
  }

  /** Brings everything up to what was learned. */
  refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const sums = this.#sums();
    for (const curve of this.#curves) {
      curve.refresh(sums);
      if (curve.score > this.#believed.score + LEAD) this.#believed = curve;
    }
    this.#readAges = readAges(this.survival, overdueOf(this.survival));
  }

  #sums(): StepSums {
    return { entered: sumUp(this.#entered, PRIOR.entered), ended: sumUp(this.#ended, PRIOR.ended) };
  }

  #learnEnd(fromMs: number, toMs: number): void {
    // An end is shared by what was known just before it.
    if (this.#isStale) this.#believed.refresh(this.#sums());
    for (let step = 0; step < STEPS; step++) {
      fade(this.#ended, step);
      fade(this.#entered, step);
    }
    const weightOf = (step: number) => shareOf(step, fromMs, toMs) * endingIn(this.survival, step);
    let total = 0;
    this.#countSteps(fromMs, toMs, (step) => {
      total += weightOf(step);
    });
    let left = 1;
    this.#countSteps(fromMs, toMs, (step) => {
      const ended = weightOf(step) / total;
      add(this.#entered, step, shareOf(step, fromMs, toMs) * left);
      add(this.#ended, step, ended);
      left -= ended;
    });
  }

  #countSteps(fromMs: number, toMs: number, count: (step: number) => void): void {
    for (let step = stepOf(fromMs); step < STEPS && (AGES[step] ?? 0) < toMs; step++) count(step);
  }
}

/** For how long a task has been over at each age, on average, if it was never read: the area above the survival. */
function overdueOf(survival: Float64Array): Float64Array {
  const overdue = new Float64Array(STEPS + 1);
  for (let step = 0; step < STEPS; step++) {
    const over = 1 - ((survival[step] ?? 0) + (survival[step + 1] ?? 0)) / 2;
    overdue[step + 1] = (overdue[step] ?? 0) + over * widthOf(step);
  }
  return overdue;
}

/** The tasks that are believed to enter each step, and to end in it, before anything is known. */
const PRIOR = priorCounts();

function priorCounts() {
  const entered = new Float64Array(STEPS);
  const ended = new Float64Array(STEPS);
  for (let step = 0; step < STEPS; step++) {
    const tasks = PRIOR_TASKS * Math.max(priorSurvival(step), PRIOR_TAIL);
    entered[step] = tasks;
    ended[step] = tasks * (1 - priorSurvival(step + 1) / priorSurvival(step));
  }
  return { entered, ended };
}

/** Half of the tasks are believed to take longer than the middle of what is typical. */
function priorSurvival(step: number): number {
  const { shortest, longest } = LIMITS.typicalTaskMs;
  return 1 / (1 + ((AGES[step] ?? 0) / Math.sqrt(shortest * longest)) ** PRIOR_POWER);
}

/** The sums of two counts over all steps before each. */
function sumUp(counts: Float64Array, prior: Float64Array): Float64Array {
  const sums = new Float64Array(STEPS + 1);
  for (let step = 0; step < STEPS; step++)
    sums[step + 1] = (sums[step] ?? 0) + (counts[step] ?? 0) + (prior[step] ?? 0);
  return sums;
}

/** The share of all tasks that ends in a step; next to none, but some, by its length. */
function endingIn(survival: Float64Array, step: number): number {
  return (survival[step] ?? 0) - (survival[step + 1] ?? 0) + 1e-12 * widthOf(step);
}

function fade(counts: Float64Array, step: number): void {
  counts[step] = (counts[step] ?? 0) * (1 - FADING);
}

function add(counts: Float64Array, step: number, count: number): void {
  counts[step] = (counts[step] ?? 0) + count;
}
