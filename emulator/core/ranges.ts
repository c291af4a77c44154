export { LATEST_TIME } from "../time/clock.js";

/**
 * The least and the greatest value of each number that callers set, and the longest texts. The checks refuse other values,
 * and the dashboard's inputs offer none.
 */
export type Range = readonly [least: number, most: number];

export const RANGES = {
  /** What one account can be given in all: at most 10 billion US dollars. All sums stay exact. */
  credits: [0, 1e12],
  /** One top-up by hand, in US dollars. */
  usd: [0.01, 1_000_000],
  // Limits: Automatic Top-Up.
  threshold_credits: [50, 1e9],
  recharge_usd: [10, 1000],
  monthly_cap_usd: [10, 10_000],
  seed: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  /** The requests and the length of a window of the rate limit. */
  requests: [1, 1e9],
  window_seconds: [0.001, 1e6],
  /** How often a fault fires. */
  times: [1, 1e9],
  /** The least is excluded: a fault that never fires is a mistake. */
  probability: [0, 1],
} as const satisfies Readonly<Record<string, Range>>;

/** A larger body of a request is not read. */
export const LARGEST_BODY_BYTES = 2 ** 20;
/** The log has this in place of such a body. */
export const UNREAD_BODY = "(larger than the emulator reads)";

/** Lines of this length fit on the page of an invoice. */
export const LONGEST_BILLING_LINE = 100;
export const LONGEST_KEY_NAME = 100;
