import { LIMITS } from "../contract/limits.js";
import { InvalidOptionError, shown } from "../errors/invalid-option-error.js";
import type { Random } from "../random/random.js";

const GROWTH = 1.5;
/** Gaps are stretched by up to this share, and never shortened: none comes under what the caller or the service allows. */
const JITTER = 0.2;

/** How long to wait before poll number `poll` (from 0), in milliseconds. */
export type PollSchedule = (poll: number) => number;

/** The gaps between the polls of one wait: from the first to the longest, growing by half, with jitter. */
export function createPollSchedule(interval: PollInterval | undefined, random: Random): PollSchedule {
  const [first, longest] = checkPollInterval(interval);
  return (poll) => Math.min(longest, first * GROWTH ** poll) * (1 + JITTER * random());
}

/** One gap for all polls, or the first and the longest, in milliseconds. */
export type PollInterval = number | readonly [first: number, longest: number];

function checkPollInterval(interval: PollInterval | undefined): readonly [number, number] {
  const { shortest, longest } = LIMITS.recommendedPollIntervalMs;
  const pair: readonly unknown[] =
    interval === undefined ? [shortest, longest] : Array.isArray(interval) ? interval : [interval, interval];
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
