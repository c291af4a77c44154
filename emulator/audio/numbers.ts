import type { Random } from "../time/random.js";

/*
 * The formulas of `Math` may differ in the last bit from one JavaScript engine to another, and so would the bytes of a
 * song. These functions use + - * / and square roots only, which every engine rounds alike.
 */

/** The sine of a full turn's fraction: 0.25 gives 1. */
export function sine(turns: number): number {
  let turn = turns - Math.floor(turns);
  if (turn > 0.75) turn -= 1;
  else if (turn > 0.25) turn = 0.5 - turn;
  const x = turn * 2 * Math.PI;
  let term = x;
  let sum = x;
  for (let n = 2; n < 18; n += 2) {
    term *= (-x * x) / (n * (n + 1));
    sum += term;
  }
  return sum;
}

/** 2 to the power of `exponent`. */
export function powerOfTwo(exponent: number): number {
  const whole = Math.floor(exponent);
  const x = (exponent - whole) * Math.LN2;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < 16; n++) {
    term *= x / n;
    sum += term;
  }
  for (let n = 0; n < whole; n++) sum *= 2;
  for (let n = 0; n > whole; n--) sum /= 2;
  return sum;
}

/** The item at `index` modulo the length. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[modulo(index, items.length)];
  if (item === undefined) throw new RangeError("`items` must not be empty.");
  return item;
}

export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** From `low` up to, but not including, `high`. */
export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

export function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  const order = items.map((item) => ({ item, rank: random() }));
  return order.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}
