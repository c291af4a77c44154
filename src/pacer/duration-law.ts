import { LIMITS } from "../contract/limits.js";
import { AGES, STEPS, shareOf, stepOf, widthOf } from "./ages.js";
import { Demand } from "./demand.js";

/** What is believed before anything was seen weighs as much as this many tasks: a few readings outweigh it. */
const PRIOR_TASKS = 8;
/** Of those, the share that is believed to be there still at any age, so that what is seen of late ones weighs as well. */
const PRIOR_TAIL = 0.02;
/** How steep that belief is: with the third power, what is typical holds for 19 tasks in 20 (Limits: Task duration). */
const PRIOR_POWER = 3;
/** Each task that ends lets what was learned before it fade by this share: laws shift, and 300 tasks tell one well. */
const FADING = 1 / 300;
/** Over how many steps to either side a hazard is smoothed: a few hundred tasks are too few for each step alone. */
const REACH = 3;

/**
 * How long the tasks of one model and type take, learned from readings. A reading tells only that a task ended
 * between two ages, or that it outlived one: so the law counts, for each step of age, how many tasks were seen to
 * enter it and how many of them ended in it. An end that may lie in several steps is shared among them as the law
 * itself has it so far.
 */
export class DurationLaw {
  /** The share of tasks that outlive each age. */
  readonly survival: Float64Array = new Float64Array(STEPS + 1);
  /** For how long a task has been over at each age, on average, when nobody has read it: the area above the survival. */
  readonly overdue: Float64Array = new Float64Array(STEPS + 1);
  /** The tasks of this kind that are submitted. */
  readonly newcomers: Demand = new Demand();
  readonly #entered: Float64Array = new Float64Array(STEPS);
  readonly #ended: Float64Array = new Float64Array(STEPS);
  #isStale = true;

  /** A task was found over, or not, at an age; it had last been found unfinished at an earlier one. */
  learn(unfinishedMs: number, ageMs: number, isOver: boolean): void {
    const to = Math.min(ageMs, AGES[STEPS] ?? 0);
    if (!(to > unfinishedMs)) return;
    if (isOver) this.#learnEnd(unfinishedMs, to);
    else
      this.#countSteps(unfinishedMs, to, (step) => add(this.#entered, step, shareOf(step, unfinishedMs, to)));
    this.#isStale = true;
  }

  /** Brings the curves up to what was learned. */
  refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    let [survival, overdue] = [1, 0];
    this.survival[0] = 1;
    for (let step = 0; step < STEPS; step++) {
      const next = survival * (1 - this.#hazard(step));
      overdue += (1 - (survival + next) / 2) * widthOf(step);
      survival = next;
      this.survival[step + 1] = survival;
      this.overdue[step + 1] = overdue;
    }
  }

  #learnEnd(fromMs: number, toMs: number): void {
    this.refresh();
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

  /** The share of the tasks that enter a step and end in it. */
  #hazard(step: number): number {
    let ended = (PRIOR[step] ?? 0) * (PRIOR_HAZARD[step] ?? 0);
    let entered = PRIOR[step] ?? 0;
    for (let near = -REACH; near <= REACH; near++) {
      const neighbour = Math.min(STEPS - 1, Math.max(0, step + near));
      const weight = 1 - Math.abs(near) / (REACH + 1);
      ended += weight * (this.#ended[neighbour] ?? 0);
      entered += weight * (this.#entered[neighbour] ?? 0);
    }
    return ended / entered;
  }
}

/** For each step, the share of the tasks which enter it that is believed to end in it before anything is known. */
const PRIOR_HAZARD = Float64Array.from(
  { length: STEPS },
  (_, step) => 1 - priorSurvival(step + 1) / priorSurvival(step),
);
/** How much that weighs against what was seen in as many steps as a hazard is smoothed over. */
const PRIOR = Float64Array.from({ length: STEPS }, (_, step) => {
  return PRIOR_TASKS * Math.max(priorSurvival(step), PRIOR_TAIL) * (REACH + 1);
});

/** Half of the tasks are believed to take longer than the middle of what is typical. */
function priorSurvival(step: number): number {
  const { shortest, longest } = LIMITS.typicalTaskMs;
  return 1 / (1 + ((AGES[step] ?? 0) / Math.sqrt(shortest * longest)) ** PRIOR_POWER);
}

/** The share of all tasks that ends in a step; next to none, but some. */
function endingIn(survival: Float64Array, step: number): number {
  return (survival[step] ?? 0) - (survival[step + 1] ?? 0) + 1e-9;
}

function fade(counts: Float64Array, step: number): void {
  counts[step] = (counts[step] ?? 0) * (1 - FADING);
}

function add(counts: Float64Array, step: number, count: number): void {
  counts[step] = (counts[step] ?? 0) + count;
}
