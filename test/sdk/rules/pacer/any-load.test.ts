import * as fc from "fast-check";
import { expect, test } from "vitest";
import { play } from "./play.js";

/** Any load of one client. A network delay has a shortest and a longest value. */
const anyLoad = fc.record({
  tasks: fc.integer({ min: 1, max: 80 }),
  everyMs: fc.constantFrom(0, 200, 3000),
  latencyMs: fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 301, max: 1000 })),
  isResumed: fc.boolean(),
  gapMs: fc.constantFrom(1000, 5000),
  seed: fc.integer({ min: 1, max: 1e6 }),
});

test.each([
  ["fixed", { isSliding: false }, fc.integer({ min: 20, max: 300 }), 0],
  // Until the window is known to slide.
  ["sliding", { isSliding: true }, fc.constant(120), 12],
])(
  "in a %s window, one client exceeds no limit, reads no task twice in a second, and finds every task",
  (_, kind, limits, most) =>
    fc.assert(
      fc.asyncProperty(anyLoad, limits, async (load, requests) => {
        const { refused, shortestGapMs, longestDelayMs } = await play({ ...load, ...kind, requests });
        expect(refused).toBeLessThanOrEqual(most);
        expect(shortestGapMs).toBeGreaterThanOrEqual(1000);
        expect(longestDelayMs).toBeLessThan(20 * 60_000);
      }),
      { numRuns: 12, seed: 25 },
    ),
);
