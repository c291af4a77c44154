import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Inside the package, so that the example can import it by its name. */
const folder = resolve(".reports/shared-emulator");

beforeAll(() => cpSync("examples/testing/shared", folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an unused fault fails its own test alone", () => {
  const file = join(folder, "songs.test.mjs");
  const unused = 'await account.addFault({ path: "/typo", fault: { kind: "stall" } });';
  writeFileSync(file, readFileSync(file, "utf8").replace(/(?=await account.setNext)/, unused));
  // Without the variables of this Vitest, which would change the report.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const tests = [process.execPath, "--test", "--test-reporter=tap", join(folder, "*.test.mjs")];
  const command = [resolve("dist/cli.js"), "emulator", "--", ...tests];
  const { status, stdout } = spawnSync(process.execPath, command, { encoding: "utf8", env });
  expect(stdout).toContain("'/typo'");
  expect(stdout).toMatch(/^not ok \d - a song costs 10 credits$/m);
  expect(stdout).toContain("# pass 3");
  expect(status).toBe(1);
});
