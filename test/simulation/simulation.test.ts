import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUGS } from "../../scripts/simulate/bug-list.js";
import { simulate } from "../../scripts/simulate/world.js";

test.each(BUGS.map((bug) => [bug.name, bug] as const))("the bug still fits the sources: %s", (_, bug) => {
  expect(readFileSync(bug.file, "utf8").split(bug.find)).toHaveLength(2);
});

test("a world breaks no property, and repeats from its seed", async () => {
  for (let seed = 1; seed <= 25; seed++) {
    const { violations, trace } = await simulate(seed);
    expect(violations).toEqual([]);
    expect((await simulate(seed)).trace).toEqual(trace);
  }
});
