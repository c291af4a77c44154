import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startVitest } from "vitest/node";
import { shownIn } from "./guides.js";
import { sketches } from "./sketches.js";

test.each(shownIn("ts"))("the code of $name does what it says", ({ code }) => {
  const folder = mkdtempSync(join(tmpdir(), "async-music-guide-"));
  try {
    const script = `process.chdir(${JSON.stringify(folder)});\n${code}`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
    });
    // An assertion that fails is said on stderr.
    expect([status, stderr]).toEqual([0, ""]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(shownIn("sh"))("the commands of $name are all answered", ({ code }) => {
  const emulator = ["dist/cli.js", "emulator", "--clock", "virtual", "--", "sh", "-euc", code];
  expect(execFileSync(process.execPath, emulator, { encoding: "utf8" })).not.toBe("");
});

test("the tests and sketches of the guides compile, and the tests pass", async () => {
  const root = resolve(".reports/guides");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const [index, { code }] of shownIn("ts vitest").entries())
    writeFileSync(join(root, `guide-${index}.test.ts`), code);
  for (const [index, code] of sketches().entries()) writeFileSync(join(root, `sketch-${index}.ts`), code);
  const compilerOptions = { noUnusedLocals: false };
  const tsconfig = { extends: "../../tsconfig.json", compilerOptions, include: ["*"] };
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify(tsconfig));
  expect(spawnSync("npx", ["tsc", "--project", root], { encoding: "utf8" }).stdout).toBe("");

  const vitest = await startVitest("test", [], { root, config: false, watch: false, reporters: [] });
  onTestFinished(() => vitest.close());
  const files = vitest.state.getTestModules();
  expect(files.flatMap((file) => file.errors())).toEqual([]);
  const tests = files.flatMap((file) => [...file.children.allTests()]);
  expect(tests.flatMap((each) => each.result().errors ?? [])).toEqual([]);
  expect(files).toHaveLength(shownIn("ts vitest").length);
});

test("the guides show all of these", () => {
  for (const language of ["ts", "ts vitest", "ts sketch", "sh"])
    expect(shownIn(language).length).toBeGreaterThan(0);
});
