import * as z from "zod/mini";

/** The schema of a whole number within bounds. */
export function wholeNumber(least: number, most: number) {
  const rule = `be a whole number from ${least} to ${most}`;
  return z.number(rule).check(z.refine(Number.isInteger, rule), z.gte(least, rule), z.lte(most, rule));
}

/** The schema of a number within bounds. */
export function numberBetween(least: number, most: number) {
  const rule = `be a number from ${least} to ${most}`;
  return z.number(rule).check(z.gte(least, rule), z.lte(most, rule));
}
