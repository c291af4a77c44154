import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startVitest } from "vitest/node";

test("the tests of the example project pass", async () => {
  const root = resolve("examples/testing");
  const vitest = await startVitest("test", [], {
    root,
    config: `${root}/vitest.config.ts`,
    watch: false,
    reporters: [],
  });
  onTestFinished(() => vitest.close());
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  expect(modules.flatMap((module) => module.errors())).toEqual([]);
  expect(tests.flatMap((each) => each.result().errors ?? [])).toEqual([]);
  expect(tests.map((each) => each.result().state)).toEqual(Array(6).fill("passed"));
});
