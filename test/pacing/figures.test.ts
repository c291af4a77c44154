import { describe, expect, test } from "vitest";
import { FIXED, OURS } from "../../scripts/pacing/policies.js";
import { allTrials } from "../../scripts/pacing/scenarios.js";
import { simulate } from "../../scripts/pacing/simulate.js";

// What `npm run pacing` prints, for a shorter time and those scenarios that tell most.

const SECONDS = 1800;
const SEED = 4;
const trials = new Map(allTrials(SECONDS).map((trial) => [trial.scenario.name, trial]));

function trialOf(name: string) {
  const trial = trials.get(name);
  if (trial === undefined) throw new Error(`Invariant: there is a scenario named ${name}.`);
  return trial;
}

describe("near the best that is possible, without a 429 and without a loss:", () => {
  test.each([
    "0.1 a second",
    "0.3 a second",
    "0.6 a second",
    "0.9 a second",
    "100 in flight",
    "1000 in flight",
    "0.6 a second, 5 % never end",
    "0.6 a second, slow",
    "0.3 a second, 5 s or 120 s",
    "0.3 a second, limit 60",
  ])("%s", async (name) => {
    const { scenario, bound, allowed } = trialOf(name);
    const outcome = await simulate(scenario, OURS, SEED);
    expect(outcome.meanDelay / (bound ?? 0)).toBeLessThan(allowed ?? 0);
    expect(outcome).toMatchObject({ refused: 0, lost: 0 });
    if (name !== "0.9 a second") expect(outcome.meanCreateWait).toBeLessThan(2);
  });
});

describe("no worse than fixed polling, with a handful of 429s:", () => {
  test.each([
    "0.1 a second, sliding",
    "0.3 a second, sliding",
    "100 in flight, sliding",
    "0.3 a second, two processes",
    "100 in flight, two processes",
    "1000 in flight, two processes",
  ])("%s", async (name) => {
    const { scenario } = trialOf(name);
    const ours = await simulate(scenario, OURS, SEED);
    const fixed = await simulate(scenario, FIXED, SEED);
    expect(ours.meanDelay).toBeLessThan(fixed.meanDelay);
    expect(ours.refused).toBeLessThanOrEqual(5);
    expect(ours.lost).toBe(0);
  });
});

test("where all tasks take equally long, each is found soon after its end", async () => {
  const { scenario } = trialOf("0.3 a second, all take 90 s");
  expect((await simulate(scenario, OURS, SEED)).meanDelay).toBeLessThan(2.5);
});

test("up to ten tasks are found as soon as by fixed polling", async () => {
  let [ours, fixed] = [0, 0];
  for (let seed = 1; seed <= 30; seed++) {
    for (const name of ["1 in flight", "5 in flight", "10 in flight"]) {
      ours += (await simulate(trialOf(name).scenario, OURS, seed)).meanDelay;
      fixed += (await simulate(trialOf(name).scenario, FIXED, seed)).meanDelay;
    }
  }
  // Where there is enough for everybody both read every five seconds, and differ by chance.
  expect(ours).toBeLessThan(1.05 * fixed);
});
