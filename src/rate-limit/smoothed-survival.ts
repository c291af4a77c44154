import { AGES, at, STEPS, stepOf } from "./ages.js";

/** How many tasks were seen to enter each step of age, and how many of them ended in it; as sums over all steps before. */
export interface StepSums {
  entered: Float64Array;
  ended: Float64Array;
}

/** From which step on, and up to which, tasks count for each step. */
export interface Neighbours {
  from: Int16Array;
  to: Int16Array;
}

/** Each reading lets what earlier ones said for a curve fade by this share. */
const FADING = 1 / 100;
/** What a curve takes for impossible is believed to happen once in so many readings. */
const SURPRISE = 1e-3;

/**
 * The share of tasks that outlive each age, when the tasks that end about an age are spread over ages as near as a share
 * of it. A wide spread tells a law from few tasks; a narrow one sees where all take alike. Its score says how well it
 * foretold what readings found.
 */
export class SmoothedSurvival {
  readonly curve: Float64Array = new Float64Array(STEPS + 1).fill(1);
  score = 0;
  readonly #neighbours: Neighbours;

  constructor(spread: number) {
    this.#neighbours = neighboursBySpread.get(spread) ?? neighboursWithin(spread);
    neighboursBySpread.set(spread, this.#neighbours);
  }

  /** Brings the curve up to what was seen. */
  refresh({ entered, ended }: StepSums): void {
    let alive = 1;
    for (let step = 0; step < STEPS; step++) {
      const [from, to] = [this.#neighbours.from[step] ?? 0, this.#neighbours.to[step] ?? 0];
      const hazard = ((ended[to] ?? 0) - (ended[from] ?? 0)) / ((entered[to] ?? 0) - (entered[from] ?? 0));
      alive *= 1 - hazard;
      this.curve[step + 1] = alive;
    }
  }

  /** A task that had been found unfinished at an age was found over, or not, at a later one. */
  judge(fromMs: number, toMs: number, isOver: boolean): void {
    const alive = at(this.curve, fromMs);
    const stays = alive > 0 ? at(this.curve, toMs) / alive : 0;
    const chance = isOver ? 1 - stays : stays;
    this.score = this.score * (1 - FADING) + Math.log(SURPRISE + (1 - SURPRISE) * chance);
  }
}

/** Worked out when a client first waits: an import has better things to do. */
const neighboursBySpread = new Map<number, Neighbours>();

/** The steps that are as near to each as a share of its age. */
export function neighboursWithin(spread: number): Neighbours {
  const [from, to] = [new Int16Array(STEPS), new Int16Array(STEPS)];
  for (let step = 0; step < STEPS; step++) {
    from[step] = stepOf((AGES[step] ?? 0) * (1 - spread));
    to[step] = 1 + stepOf((AGES[step + 1] ?? 0) * (1 + spread) - 1);
  }
  return { from, to };
}
