import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { explore } from "../../emulator/worlds/index.js";
import { BUGS } from "../../tools/simulate/bug-list.js";
import { shop } from "../../tools/simulate/program.js";
import { unwatch } from "../lifecycle/begun.js";

test.each(BUGS.map((bug) => [bug.name, bug] as const))(
  "the deliberate bug can be applied to the sources: %s",
  (_, bug) => {
    expect(readFileSync(bug.file, "utf8").split(bug.find)).toHaveLength(2);
  },
);

// The processes of a world end in the middle of their waits.
beforeEach(unwatch);

test("the simulated worlds of the first seeds break no promise", async () => {
  await explore(shop, { seed: 1, count: 20, processes: 3, orders: 4 });
});

test("simulated worlds from a random seed break no promise", async () => {
  const seed = randomInt(2 ** 32);
  process.stdout.write(`Random seed of the simulation: ${seed}\n`);
  await explore(shop, { seed, count: 20, processes: 3, orders: 4 });
});
