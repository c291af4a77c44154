import { LIMITS } from "../contract/limits.js";
import { InvalidOptionError, shown } from "../errors/invalid-option-error.js";
import type { Random } from "../random/random.js";

const GROWTH = 1.5;
/** Gaps are stretched by up to this share, and never shortened: none comes under what the caller or the service allows. */
const JITTER = 0.2;

/** The first and the longest gap between the polls of a wait, in milliseconds. */
export type PollGaps = readonly [first: number, longest: number];

/** How long to wait before poll number `poll` (from 0), in milliseconds: the gaps grow by half, with jitter. */
export function pollGapMs([first, longest]: PollGaps, poll: number, random: Random): number {
  return Math.min(longest, first * GROWTH ** poll) * (1 + JITTER * random());
}

/** One gap for all polls, or the first and the longest, in milliseconds. */
export type PollInterval = number | readonly [first: number, longest: number];

const { shortest, longest } = LIMITS.recommendedPollIntervalMs;
const DEFAULT_GAPS: PollGaps = [shortest, longest];

/** The gaps that an interval means. */
export function checkPollInterval(interval: PollInterval | undefined): PollGaps {
  if (interval === undefined) return DEFAULT_GAPS;
  const pair: readonly unknown[] = Array.isArray(interval) ? interval : [interval, interval];
  const got = shown(interval);

  const [first, last] = pair;
  if (pair.length !== 2 || !isFiniteNumber(first) || !isFiniteNumber(last)) {
    throw new InvalidOptionError("pollIntervalMs", "be a number, or two of them", got);
  }
  if (first < LIMITS.shortestPollIntervalMs) {
    throw new InvalidOptionError("pollIntervalMs", `be at least ${LIMITS.shortestPollIntervalMs}`, got);
  }
  if (last < first)
    throw new InvalidOptionError("pollIntervalMs", "have its longest gap behind its first", got);
  return [first, last];
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
