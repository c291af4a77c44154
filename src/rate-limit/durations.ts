import { LIMITS } from "../contract/service.js";

/** A task that is unfinished at this age is next polled after the service's task timeout. */
export const LAST_POLL_MS: number = LIMITS.taskTimeoutMs - 10_000;

/** Ages are counted in steps: the first takes 250 ms, each later one 1 % longer. */
const GROWTH = 1.01;
const SCALE_MS = 250 / (GROWTH - 1);
export const STEPS: number = Math.ceil(Math.log(1 + LAST_POLL_MS / SCALE_MS) / Math.log(GROWTH));

/** The ages between the steps, in milliseconds, from 0 to the last poll. */
export const AGES: Float64Array = Float64Array.from({ length: STEPS + 1 }, (_, step) =>
  Math.min(LAST_POLL_MS, SCALE_MS * (GROWTH ** step - 1)),
);

/** Each end lets the weight of what was learned before decrease by this share: distributions shift. */
const FADING = 1 / 300;
/** The ends at an age are spread over the ages within this share of it, but over no more than `NEAREST` of all ends. */
const WIDEST = 0.09;
/** Without this limit, "0.6 a second, all take 90 s" (tools/pacing/scenarios.ts) takes 2.7 s instead of 1.1. */
const NEAREST = 1 / 4;

/**
 * The distribution of the durations of one model and type, learned from polls. A poll shows only that a task ended
 * between two ages, or that it was unfinished at one. So this is a histogram with two counts for each step of age: the
 * tasks that entered it, and those that ended in it. An end that may lie in several steps is divided among them in
 * proportion to the current estimate.
 */
export class Durations {
  /** The share of tasks that are unfinished at each of the ages. */
  readonly survival: Float64Array = new Float64Array(STEPS + 1).fill(1);
  /** The mean time for which a task has been finished at each of the ages, in milliseconds. */
  readonly overdue: Float64Array = new Float64Array(STEPS + 1);
  /** How many ends were learned. */
  ends = 0;
  readonly #entered = Float64Array.from(PRIOR.entered);
  readonly #ended = Float64Array.from(PRIOR.ended);
  #isStale = true;

  /** A poll found a task finished, or not, at an age; the one before had found it unfinished at an earlier one. */
  learn(lastMs: number, ageMs: number, isFinished: boolean): void {
    // The clocks of a task's readings may differ from the one of its submission.
    const unfinishedMs = Math.max(0, lastMs);
    const toMs = Math.min(ageMs, LAST_POLL_MS);
    // Of a shorter time, the shares below would be lost in rounding.
    if (!(toMs >= unfinishedMs + 1)) return;
    if (isFinished) {
      this.refresh();
      this.ends++;
      for (let step = 0; step < STEPS; step++) {
        add(this.#entered, step, FADING * (valueAt(PRIOR.entered, step) - valueAt(this.#entered, step)));
        add(this.#ended, step, FADING * (valueAt(PRIOR.ended, step) - valueAt(this.#ended, step)));
      }
    }
    const steps: { step: number; passed: number; weight: number }[] = [];
    let total = 0;
    for (let step = stepOf(unfinishedMs); valueAt(AGES, step) < toMs; step++) {
      const widthMs = increase(AGES, step, step + 1);
      const fromMs = Math.max(unfinishedMs, valueAt(AGES, step));
      const endMs = valueAt(AGES, step + 1);
      const share = (Math.min(toMs, endMs) - fromMs) / widthMs;
      // Where no end is expected, one is as likely in each moment.
      const weight = share * (1e-12 * widthMs - increase(this.survival, step, step + 1));
      // A task that ends in a step counts for the rest of it: otherwise more would end there than entered.
      steps.push({ step, passed: isFinished ? (endMs - fromMs) / widthMs : share, weight });
      total += weight;
    }
    let unfinished = 1;
    for (const { step, passed, weight } of steps) {
      add(this.#entered, step, passed * unfinished);
      if (!isFinished) continue;
      add(this.#ended, step, weight / total);
      unfinished -= weight / total;
    }
    this.#isStale = true;
  }

  /** Brings both curves up to date. */
  refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const [entered, ended] = [new Float64Array(STEPS + 1), new Float64Array(STEPS + 1)];
    for (let step = 0; step < STEPS; step++) {
      entered[step + 1] = valueAt(entered, step) + valueAt(this.#entered, step);
      ended[step + 1] = valueAt(ended, step) + valueAt(this.#ended, step);
    }
    const nearest = NEAREST * increase(ended, 0, STEPS);
    const hazards = new Float64Array(STEPS);
    for (let step = 0; step < STEPS; step++) {
      const lowest = stepOf(valueAt(AGES, step) * (1 - WIDEST));
      const highest = 1 + stepOf(valueAt(AGES, step + 1) * (1 + WIDEST) - 1);
      let [from, to] = [step, step + 1];
      while (increase(ended, from, to) < nearest && (from > lowest || to < highest)) {
        from = Math.max(lowest, from - 1);
        to = Math.min(highest, to + 1);
      }
      const share = valueAt(this.#ended, step) / increase(entered, from, to);
      for (let near = from; near < to; near++) add(hazards, near, share);
    }
    for (let step = 0; step < STEPS; step++) {
      const hazard = Math.min(1, valueAt(hazards, step));
      const [before, after] = [valueAt(this.survival, step), valueAt(this.survival, step) * (1 - hazard)];
      this.survival[step + 1] = after;
      const finishedMs = (1 - (before + after) / 2) * increase(AGES, step, step + 1);
      this.overdue[step + 1] = valueAt(this.overdue, step) + finishedMs;
    }
  }
}

/** The age by which this share of the tasks has ended that were unfinished at an age; the task timeout if it is not known. */
export function ageBy({ survival }: Durations, share: number, unfinishedMs: number): number {
  const wanted = (1 - share) * interpolate(survival, unfinishedMs);
  for (let step = stepOf(unfinishedMs); step < STEPS; step++) {
    const [before, after] = [valueAt(survival, step), valueAt(survival, step + 1)];
    if (after > wanted || before <= after) continue;
    const passed = (before - wanted) / (before - after);
    return Math.max(unfinishedMs, valueAt(AGES, step) + passed * increase(AGES, step, step + 1));
  }
  return LIMITS.taskTimeoutMs;
}

/** The value at an age of a curve that is known at each of the ages. */
export function interpolate(curve: Float64Array, ageMs: number): number {
  const step = stepOf(ageMs);
  const share = Math.min(1, (ageMs - valueAt(AGES, step)) / increase(AGES, step, step + 1));
  return valueAt(curve, step) + share * increase(curve, step, step + 1);
}

export function stepOf(ageMs: number): number {
  return Math.min(STEPS - 1, Math.floor(Math.log(1 + ageMs / SCALE_MS) / Math.log(GROWTH) + 1e-9));
}

export function valueAt(curve: Float64Array, step: number): number {
  return curve[step] ?? 0;
}

function increase(curve: Float64Array, from: number, to: number): number {
  return valueAt(curve, to) - valueAt(curve, from);
}

function add(counts: Float64Array, step: number, count: number): void {
  counts[step] = valueAt(counts, step) + count;
}

/**
 * What is assumed before anything is learned: three tasks whose durations are log-logistic, so that half take longer than
 * the middle of what is typical and 19 of 20 take what is typical (Limits: Task duration), with some at every age.
 */
const PRIOR = (() => {
  const { shortest, longest } = LIMITS.typicalTaskMs;
  const unfinished = AGES.map((age) => 1 / (1 + (age / Math.sqrt(shortest * longest)) ** 3));
  const entered = unfinished.map((share) => 3 * Math.max(share, 0.02));
  const ended = entered.map(
    (tasks, step) => tasks * (1 - valueAt(unfinished, step + 1) / valueAt(unfinished, step)),
  );
  return { entered, ended };
})();
