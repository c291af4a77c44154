import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const installed = resolve("tools/runners/node_modules");
const folder = resolve(".reports/realms");

const remove = () => rmSync(folder, { recursive: true, force: true });

beforeEach(() => {
  remove();
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(resolve("."), join(folder, "node_modules/async-music"));
  cpSync("test/runners/support/realm.test.mjs", join(folder, "realm.test.mjs"));
  writeFileSync(join(folder, "jest.config.mjs"), 'export default { testMatch: ["**/*.test.mjs"] };\n');
});

afterEach(remove);

const VITEST = [resolve("node_modules/vitest/vitest.mjs"), "run", "--globals", "--root=.", "--pool"];

test.each([
  ["Jest", [join(installed, "jest/bin/jest.js"), "--forceExit"]],
  ["Vitest with vmThreads", [...VITEST, "vmThreads"]],
  ["Vitest with vmForks", [...VITEST, "vmForks"]],
])("the package works in the realm that %s gives to each test file", (_, command) => {
  // Without the variables of this Vitest.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, CI: "1", NO_COLOR: "1", NODE_OPTIONS: "--experimental-vm-modules" };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    encoding: "utf8",
    env,
    cwd: folder,
  });
  expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/\b5 passed\b/)]);
});
