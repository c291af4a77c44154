import { resolve } from "node:path";
import { expect, test } from "vitest";
import { runVitest } from "../support/run-vitest.js";

test("the tests of the example project pass", async () => {
  const failures = await runVitest(resolve("examples/testing"));
  expect([...failures].filter(([, messages]) => messages.length > 0)).toEqual([]);
  expect([...failures.keys()]).toEqual(
    expect.arrayContaining(["jukebox.test.ts", "songbook.test.ts", "world.test.ts"]),
  );
});
