import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { BUGS } from "../../tools/simulate/bug-list.js";
import { simulate } from "../../tools/simulate/world.js";
import { unwatch } from "../lifecycle/begun.js";

test.each(BUGS.map((bug) => [bug.name, bug] as const))(
  "the deliberate bug can be applied to the sources: %s",
  (_, bug) => {
    expect(readFileSync(bug.file, "utf8").split(bug.find)).toHaveLength(2);
  },
);

// The processes of a world end in the middle of their waits.
beforeEach(unwatch);

test("a simulated world breaks no property, and the same seed repeats it", async () => {
  for (let seed = 1; seed <= 25; seed++) await checkWorld(seed);
});

test("simulated worlds from a random seed break no property, and the same seed repeats them", async () => {
  const first = randomInt(2 ** 32);
  process.stdout.write(`Random seed of the simulation: ${first}\n`);
  for (let seed = first; seed < first + 10; seed++) await checkWorld(seed);
});

async function checkWorld(seed: number): Promise<void> {
  const { violations, trace } = await simulate(seed);
  const reproduce = `npm run simulate -- --seed ${seed} --worlds 1`;
  expect(violations, reproduce).toEqual([]);
  expect((await simulate(seed)).trace, reproduce).toEqual(trace);
}
