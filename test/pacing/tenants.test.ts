import { beforeEach, expect, test } from "vitest";
import { TYPICAL } from "../../tools/pacing/durations.js";
import { FLEET, OURS } from "../../tools/pacing/policies.js";
import { simulate } from "../../tools/pacing/simulate.js";
import { unwatch } from "../lifecycle/begun.js";

// A fair share: the songs of one tenant beside 1,000 of another one, with the real client.

// To watch what each of many thousand requests begins takes a fifth of the time.
beforeEach(unwatch);

const SEED = 3;
/** One request of each other tenant: 120 a minute. */
const TURN_SECONDS = 0.5;

test.each([
  ["one process, 1000 to submit", OURS, 1, false, false],
  ["one process, 1000 in flight", OURS, 1, true, false],
  ["a process for each tenant, 1000 to submit", FLEET, 2, false, false],
  ["a process for each tenant, 1000 in flight", FLEET, 2, true, false],
  ["500 to submit in each of two processes", FLEET, 2, false, true],
  ["500 in flight in each of two processes", FLEET, 2, true, true],
])(
  "the songs of a tenant are created and found nearly as soon as alone: %s",
  async (_, sdk, processes, isInFlight, isSplit) => {
    const measure = (crowd: number) => {
      const load = { kind: "beside a crowd", crowd, isInFlight, isSplit, songs: 12, repetitions: 2 } as const;
      return simulate({ name: "", durations: () => TYPICAL, load, processes }, sdk, SEED);
    };
    const [alone, beside] = [await measure(0), await measure(1000)];
    expect(beside).toMatchObject({ refused: 0, lost: 0 });
    expect(beside.meanDelay).toBeLessThan(1.2 * alone.meanDelay);
    expect(beside.meanCreateWait).toBeLessThan(1.2 * alone.meanCreateWait + TURN_SECONDS);
  },
);
