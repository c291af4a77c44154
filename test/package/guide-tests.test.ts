import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runVitest } from "../support/run-vitest.js";
import { shownIn } from "./guides.js";
import { sketches } from "./sketches.js";

/** Inside of the package, so that what is there can import it by its name. */
const folder = resolve(".reports/guides");
const tests = shownIn("ts vitest");

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, { code }] of tests.entries())
    writeFileSync(join(folder, `guide-${index}.test.ts`), code);
  for (const [index, code] of sketches().entries()) writeFileSync(join(folder, `sketch-${index}.ts`), code);
});

test("the tests and sketches that the guides show compile", () => {
  const compilerOptions = { noUnusedLocals: false };
  const config = { extends: "../../tsconfig.json", compilerOptions, include: ["*"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  expect(spawnSync("npx", ["tsc", "--project", folder], { encoding: "utf8" }).stdout).toBe("");
});

test("the tests that the guides show pass", async () => {
  const failures = await runVitest(folder);
  expect([...failures].filter(([, messages]) => messages.length > 0)).toEqual([]);
  expect([...failures.keys()].filter((name) => name.startsWith("guide-"))).toHaveLength(tests.length);
});
