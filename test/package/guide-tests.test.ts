import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runVitest } from "../support/run-vitest.js";
import { shownIn, shownOnStage } from "./guides.js";

/** Inside the package, so that tests can import it by its name. */
const folder = resolve(".reports/guides");
const tests = [...shownIn("ts vitest"), ...shownOnStage("ts vitest")];
const programs = shownIn("ts");
const onStage = [...shownIn("ts sketch"), ...shownOnStage("ts sketch"), ...shownOnStage("ts")];

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, { code }] of tests.entries())
    writeFileSync(join(folder, `guide-${index}.test.ts`), code);
  for (const [index, { name, code }] of programs.entries())
    writeFileSync(join(folder, `program-${index}.ts`), `// ${name}\n${code}\nexport {};\n`);
  for (const [index, { name, code }] of onStage.entries())
    writeFileSync(join(folder, `on-stage-${index}.ts`), `// ${name}\n${code}\nexport {};\n`);
  // The seed file that the guide imports is the one that it shows.
  const seedFile = shownIn("json").find(({ code }) => code.includes("seed-file.schema.json"));
  writeFileSync(join(folder, "world.json"), seedFile?.code ?? "");
});

test("the programs, tests and sketches in the guides compile", () => {
  const compilerOptions = { noUnusedLocals: false };
  const include = ["*", "../../test/package/stage-names.ts", "../../emulator/**/*.d.ts"];
  const config = { extends: "../../tsconfig.json", compilerOptions, include, exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  expect(spawnSync("npx", ["tsc", "--project", folder], { encoding: "utf8" }).stdout).toBe("");
});

test("the tests in the guides pass", async () => {
  const failures = await runVitest(folder);
  expect([...failures].filter(([, messages]) => messages.length > 0)).toEqual([]);
  expect([...failures.keys()].filter((name) => name.startsWith("guide-"))).toHaveLength(tests.length);
});
