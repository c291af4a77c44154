import { LIMITS } from "../contract/wire.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import type { Random } from "../time/random.js";

/** Consecutive failed polls lengthen the gap by this factor each, up to the longest. */
const FAILURE_GROWTH = 1.5;
/** Each gap is stretched by up to this share, so that clients that start together do not stay in step. */
const JITTER = 0.02;

/** The shortest and the longest gap between two polls of a wait, in milliseconds. */
export type PollGaps = readonly [shortest: number, longest: number];

/** The gap before the next poll, in milliseconds: from the shortest, and longer after failures; never above the longest. */
export function pollGapMs([shortest, longest]: PollGaps, failures: number, random: Random): number {
  const least = Math.min(shortest * FAILURE_GROWTH ** failures, longest / (1 + JITTER));
  return Math.min(longest, Math.ceil(Math.max(shortest, least) * (1 + JITTER * random())));
}

/** One gap for all polls, or the shortest and the longest, in milliseconds. */
export type PollInterval = number | readonly [shortest: number, longest: number];

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
  if (last < first) {
    throw new InvalidOptionError("pollIntervalMs", "be [shortest, longest] with shortest ≤ longest", got);
  }
  return [first, last];
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
