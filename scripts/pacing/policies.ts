import type { Clock } from "../../src/clock/clock.js";
import { createMemoryPacer } from "../../src/pacer/memory-pacer.js";
import type { Pacer } from "../../src/pacer/pacer.js";

/** How a client paces itself. */
export interface Policy {
  name: string;
  createPacer(clock: Clock): Pacer;
  /** The gap before poll number `poll` (from 0), in milliseconds. */
  gapMs(poll: number, chance: number): number;
}

/** Ours. */
export const OURS: Policy = { name: "ours", createPacer: createMemoryPacer, gapMs: () => 5000 };

/** What most clients do: poll every five seconds, and after a 429 when its `Retry-After` is over. */
export const FIXED: Policy = { name: "fixed 5 s", createPacer: createNoPacer, gapMs: () => 5000 };

/** What careful ones do: the gap grows from five to ten seconds, with jitter. */
export const BACKOFF: Policy = {
  name: "back-off 5-10 s",
  createPacer: createNoPacer,
  gapMs: (poll, chance) => Math.min(10_000, 5000 * 1.5 ** poll) * (1 + 0.2 * chance),
};

/** Everybody leaves as soon as they like. */
function createNoPacer(clock: Clock): Pacer {
  return {
    async admit({ notBefore = 0 }) {
      await clock.sleep(notBefore - clock.now());
      return true;
    },
    report() {},
    learn() {},
    rateLimit: () => ({ limit: null, remaining: null, resetAt: null, heldUntil: null }),
  };
}
