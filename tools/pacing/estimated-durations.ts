import { type Durations, lognormal, mixture, TYPICAL, weibull } from "./durations.js";

/** The distributions on which estimates are measured. The pacer was tuned on the first one only. */
export const ESTIMATED: readonly Durations[] = [
  TYPICAL,
  weibull("weibull", 1.6, 20, 420),
  mixture("two humps", 0.5, lognormal("", 40, 0.2), lognormal("", 150, 0.25)),
];
