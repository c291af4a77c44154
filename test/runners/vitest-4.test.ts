import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A copy of the sources and of the fixtures' tests, in which `vitest` is the oldest supported one. */
const folder = resolve(".reports/vitest-4");
const vitest = resolve("tools/runners/node_modules/vitest");

const COPIED = [
  "src",
  "emulator",
  "test/vitest",
  "test/support",
  "test/lifecycle",
  "tools/build",
  "vitest.config.ts",
];

const remove = () => rmSync(folder, { recursive: true, force: true });

beforeAll(() => {
  remove();
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(vitest, join(folder, "node_modules/vitest"));
  for (const path of COPIED) cpSync(path, join(folder, path), { recursive: true });
});

afterAll(remove);

test("the oldest Vitest of the peer range is the one that is tested", () => {
  const { version } = JSON.parse(readFileSync(join(vitest, "package.json"), "utf8"));
  const { peerDependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(version).toBe("4.1.0");
  expect(peerDependencies.vitest).toBe(">=4.1 <6");
  expect(devDependencies.vitest).toMatch(/^5\./);
});

test("the tests of the fixtures pass under it", () => {
  const parameters = ["run", "--project", "sources", "--reporter=json", "--outputFile=results.json"];
  const { PATH, HOME } = process.env;
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(vitest, "vitest.mjs"), ...parameters, "test/vitest"],
    { cwd: folder, env: { PATH, HOME }, encoding: "utf8" },
  );
  const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
  expect([numFailedTests, status], stderr).toEqual([0, 0]);
  expect(numPassedTests).toBeGreaterThan(25);
});
