import type { OrderDelivery } from "../../src/index.js";

/** The pause after the first failed try. Each next one is three times as long, up to the longest. */
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 12 * 3_600_000;

/** Each pause is this much shorter or longer, at random, so that many orders are not tried again at the same time. */
const JITTER = 0.2;

/** After 15 tries within about three days, the relay gives up: the links to the audio expire four days later. */
export const MOST_TRIES = 15;

/** When to try again after a failed try: after 5 s, 15 s, 45 s, 2 min, 7 min, 20 min, 1 h, 3 h, 9 h and then each 12 h. */
export function nextTry(
  earlier: OrderDelivery | undefined,
  reason: string,
  { now, random }: { now: number; random: () => number },
): OrderDelivery {
  // A relay that had given up was started with --retry.
  const failed = earlier === undefined || earlier.next_at === null ? 0 : earlier.tries;
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** failed);
  const tries = failed + 1;
  const at = now + pauseMs * (1 - JITTER + 2 * JITTER * random());
  return { tries, next_at: tries < MOST_TRIES ? new Date(at).toISOString() : null, last_error: reason };
}
