import { writeFileSync } from "node:fs";
import { drawCurve } from "./curve.js";
import { BACKOFF, FIXED, OURS, type Policy } from "./policies.js";
import { allTrials, type Trial } from "./scenarios.js";
import { type Outcome, simulate } from "./simulate.js";

/**
 * Prints the delays of the client's policy, fixed polling and back-off polling in each scenario, beside the computed
 * bound, and draws the guide's curve. `npm run pacing -- 0.3` runs only scenarios whose names begin with 0.3, and draws
 * nothing.
 */
const RIVALS = [FIXED, BACKOFF];
const SECONDS = 3600;
const SEED = 1;
const CURVE = "docs/pacing.svg";

const [wanted = ""] = process.argv.slice(2);
const trials = allTrials(SECONDS).filter(({ scenario }) => scenario.name.startsWith(wanted));
const delays = new Map<Policy, Map<string, number>>([OURS, ...RIVALS].map((policy) => [policy, new Map()]));

print("", "policy", "mean delay", "/ bound", "worst", "429s", "lost", "create waits", "reads a task");
for (const trial of trials) {
  for (const policy of [trial.sdk, ...RIVALS]) {
    const outcome = await simulate(trial.scenario, policy, SEED);
    delays.get(policy)?.set(trial.scenario.name, outcome.meanDelay);
    report(trial, policy, outcome);
  }
}
if (wanted === "") {
  const bounds = new Map(trials.map(({ scenario, bound }) => [scenario.name, bound()]));
  writeFileSync(
    CURVE,
    drawCurve(
      [...delays].map(([{ name }, byScenario]) => ({ name, byScenario })),
      bounds,
    ),
  );
}

function report({ scenario, sdk, createCeiling, ...trial }: Trial, policy: Policy, outcome: Outcome): void {
  const [bound, ceiling] = [trial.bound(), trial.ceiling()];
  const ratio = bound === null ? "" : `${(outcome.meanDelay / bound).toFixed(2)}`;
  const misses = policy === sdk && ceiling !== null && outcome.meanDelay > ceiling;
  const waitsLong = policy === sdk && outcome.meanCreateWait > (createCeiling ?? Number.POSITIVE_INFINITY);
  print(
    policy === sdk ? scenario.name : "",
    policy.name,
    `${outcome.meanDelay.toFixed(1)} s`,
    ratio + (misses ? " !" : ""),
    `${outcome.worstDelay.toFixed(0)} s`,
    String(outcome.refused),
    String(outcome.lost),
    `${outcome.meanCreateWait.toFixed(1)} s${waitsLong ? " !" : ""}`,
    outcome.readsPerTask.toFixed(1),
  );
}

function print(scenario: string, policy: string, ...figures: string[]): void {
  console.log(
    scenario.padEnd(40) + policy.padEnd(16) + figures.map((figure) => figure.padStart(13)).join(""),
  );
}
