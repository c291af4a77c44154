import { describe, it } from "vitest";
import { POLICY_FIELDS } from "../../emulator/core/policy-fields.js";
import type { Policy } from "../../emulator/index.js";
import { describeCore } from "./describe-contract.js";
import { type Scenario, scenariosOf } from "./kit.js";
import { injectedFetch, openerFor } from "./world.js";

/** Every choice but the defaults, one at a time. */
const CHOICES = Object.entries(POLICY_FIELDS).flatMap(([name, field]) =>
  field.choices
    .filter((choice) => choice !== field.default)
    .map((choice) => ({ name, choice, policy: asPolicy({ [name]: choice }) })),
);

const SEEDS = Array.from({ length: 30 }, (_, seed) => seed);

/** Scenarios that wait in real time, on which no policy option has an effect. */
const STALLS = /no response|never comes/;

describe("the SDK keeps its contract where the service", () => {
  it.each(CHOICES)("chooses $choice for $name", async ({ policy }) => {
    await runAll(coreUnder({ policy }));
  });
});

describe("the SDK keeps its contract where the service draws every policy option", () => {
  it.each(SEEDS)("from the seed %i", async (seed) => {
    await runAll(coreUnder({ seed, policy: "vary" }));
  });
});

function coreUnder(base: { seed?: number; policy: "vary" | Partial<Policy> }): Scenario[] {
  const scenarios = scenariosOf((kit) => describeCore(openerFor(injectedFetch, base), kit));
  return scenarios.filter(({ name }) => !STALLS.test(name));
}

async function runAll(scenarios: readonly Scenario[]): Promise<void> {
  for (const { name, run } of scenarios) {
    try {
      await run();
    } catch (error) {
      throw new Error(`Failed: ${name}`, { cause: error });
    }
  }
}

function asPolicy(choice: Record<string, unknown>): Partial<Policy> {
  return choice as Partial<Policy>;
}
