import { readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { FIXED } from "../../tools/pacing/policies.js";
import { allTrials } from "../../tools/pacing/scenarios.js";
import { simulate } from "../../tools/pacing/simulate.js";
import { unwatch } from "../lifecycle/begun.js";

// The most important scenarios of `npm run pacing`, for a shorter time. The client is the real one.

// To watch what each of many thousand requests begins takes a fifth of the time.
beforeEach(unwatch);

const SECONDS = 1200;
const SEED = 4;
const trials = new Map(allTrials(SECONDS).map((trial) => [trial.scenario.name, trial]));

function trialOf(name: string) {
  const trial = trials.get(name);
  if (trial === undefined) throw new Error(`Invariant: there is a scenario named ${name}.`);
  return trial;
}

describe("the mean discovery delay is below its ceiling, without a 429 and without a lost task:", () => {
  test.each([
    "0.02 a second",
    "0.1 a second",
    "0.3 a second",
    "0.6 a second",
    "0.9 a second",
    "0.3 a second, held-out durations",
    "0.6 a second, held-out durations",
    "1 in flight",
    "10 in flight",
    "100 in flight",
    "1000 in flight",
    "160 cold, each takes 42 s",
    "160 cold, each takes 42 s, fleet of 4",
    "0.3 a second, 5 % never end",
    "0.3 a second, limit 60",
  ])("%s", async (name) => {
    const { scenario, sdk, ceiling } = trialOf(name);
    const outcome = await simulate(scenario, sdk, SEED);
    expect(outcome.meanDelay).toBeLessThan(ceiling() ?? 0);
    expect(outcome).toMatchObject({ refused: 0, lost: 0 });
  });
});

describe("no slower than fixed polling, with at most five 429s:", () => {
  test.each(["0.3 a second, sliding", "100 in flight, two processes"])("%s", async (name) => {
    const { scenario, sdk } = trialOf(name);
    const ours = await simulate(scenario, sdk, SEED);
    const fixed = await simulate(scenario, FIXED, SEED);
    expect(ours.meanDelay).toBeLessThan(fixed.meanDelay);
    expect(ours.refused).toBeLessThanOrEqual(5);
    expect(ours.lost).toBe(0);
  });
});

test("every scenario that a comment of the pacer cites exists", () => {
  const folder = "src/rate-limit";
  const cited = readdirSync(folder).flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, "utf8").replaceAll(/\n\s*(\*|\/\/)/g, "");
    return [...text.matchAll(/"([^"]+)" \(tools\/pacing\/scenarios\.ts\)/g)].map(([, name = ""]) => name);
  });
  expect(cited.length).toBeGreaterThan(8);
  expect(cited.filter((name) => !trials.has(name))).toEqual([]);
});
