import { beforeEach, describe, expect, test } from "vitest";
import { ESTIMATED } from "../../tools/pacing/estimated-durations.js";
import { measureEstimates } from "../../tools/pacing/estimates.js";
import { unwatch } from "../lifecycle/begun.js";

// A part of `npm run estimates`. The client is the real one.

// To watch what each of many thousand requests begins takes a fifth of the time.
beforeEach(unwatch);

describe("the bound of 90 % holds in 88 to 92 % of the tasks:", () => {
  test.each(ESTIMATED)("$name", async (durations) => {
    const { atSubmission, whileWaiting, all } = await measureEstimates({
      durations,
      tasks: 2000,
      perSecond: 0.3,
      seed: 4,
    });
    expect(all.tasks).toBeGreaterThan(1500);
    for (const { p90, median } of [atSubmission, whileWaiting, all]) {
      expect(p90).toBeGreaterThan(0.88);
      expect(p90).toBeLessThan(0.92);
      expect(median).toBeGreaterThan(0.46);
      expect(median).toBeLessThan(0.54);
    }
  });
});

test("the first estimates of new clients are as good", async () => {
  const [durations] = ESTIMATED;
  if (durations === undefined) throw new Error("Invariant: there are durations.");
  let [asked, within] = [0, 0];
  for (let seed = 1; seed <= 20; seed++) {
    const { all } = await measureEstimates({ durations, tasks: 70, perSecond: 0.3, seed });
    if (all.tasks === 0) continue;
    asked += all.tasks;
    within += all.tasks * all.p90;
  }
  expect(asked).toBeGreaterThan(200);
  expect(within / asked).toBeGreaterThan(0.86);
  expect(within / asked).toBeLessThan(0.94);
});
