import { LIMITS } from "../contract/service.js";

/** By this age a task is read once more, so that none which ended within its hour is lost to it (States: age). */
export const LAST_CALL_MS: number = LIMITS.taskTimeoutMs - 5 * 60_000;

/** The shortest step, and by how much each of the later ones is longer than the one before. */
const SHORTEST_STEP_MS = 250;
const GROWTH = 1.01;
/** Where steps of the one kind and of the other are equally long. */
const EVEN_STEPS = Math.round(1 / (GROWTH - 1));
const EVEN_UNTIL_MS = EVEN_STEPS * SHORTEST_STEP_MS;

/** How many steps there are. */
export const STEPS: number = Math.ceil(stepsTo(LAST_CALL_MS));

/** The ages between which a law of durations tells tasks apart, in milliseconds, from 0 to the last call. */
export const AGES: Float64Array = Float64Array.from({ length: STEPS + 1 }, (_, step) =>
  step <= EVEN_STEPS
    ? step * SHORTEST_STEP_MS
    : Math.min(LAST_CALL_MS, EVEN_UNTIL_MS * GROWTH ** (step - EVEN_STEPS)),
);

/** The step in which an age lies. */
export function stepOf(ageMs: number): number {
  return Math.min(STEPS - 1, Math.floor(stepsTo(ageMs) + 1e-9));
}

/** How long a step is, in milliseconds. */
export function widthOf(step: number): number {
  return (AGES[step + 1] ?? 0) - (AGES[step] ?? 0);
}

/** How much of a step lies between two ages, from 0 to 1. */
export function shareOf(step: number, fromMs: number, toMs: number): number {
  const [from, to] = [AGES[step] ?? 0, AGES[step + 1] ?? 0];
  return Math.max(0, Math.min(toMs, to) - Math.max(fromMs, from)) / (to - from);
}

/** The value at an age of a curve that is known at every step. */
export function at(curve: Float64Array, ageMs: number): number {
  const step = stepOf(ageMs);
  const low = curve[step] ?? 0;
  return low + ((curve[step + 1] ?? 0) - low) * shareOf(step, 0, ageMs);
}

/** How many steps an age is away from 0, in fractions. */
function stepsTo(ageMs: number): number {
  return ageMs < EVEN_UNTIL_MS
    ? ageMs / SHORTEST_STEP_MS
    : EVEN_STEPS + Math.log(ageMs / EVEN_UNTIL_MS) / Math.log(GROWTH);
}
