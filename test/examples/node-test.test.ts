import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Inside the package, so that the example can import it by its name. */
const folder = resolve(".reports/node-test");
const example = join(folder, "node-test.mjs");

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const name of ["node-test.mjs", "order-song.mjs"])
    copyFileSync(join("examples/testing", name), join(folder, name));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run() {
  // Without the variables of this Vitest, which would change the report.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const flags = ["--test", "--test-reporter=tap", example];
  return spawnSync(process.execPath, flags, { encoding: "utf8", env });
}

test("the example for node:test passes", () => {
  const { status, stdout } = run();
  expect(stdout).toContain("# pass 3");
  expect(status).toBe(0);
});

test("without `breaks`, the example fails with the rule that it breaks", () => {
  const code = readFileSync(example, "utf8");
  writeFileSync(example, code.replace(/^.*breaks: .*\n/m, ""));
  const { status, stdout } = run();
  expect(stdout).toContain("resubmitted_after_unknown_outcome, POST /api/v1/task (music, 2 of 2)");
  expect(stdout).toContain("# fail 1");
  expect(status).toBe(1);
});
