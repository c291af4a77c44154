import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CHROMIUM } from "../../tools/browser/chromium.js";

const installed = resolve("tools/runners/node_modules");
const folder = resolve(".reports/runners");

const remove = () => rmSync(folder, { recursive: true, force: true });

beforeEach(() => {
  remove();
  // Other tests install packages beside the examples.
  cpSync("examples/testing", folder, {
    recursive: true,
    filter: (path) => basename(path) !== "node_modules",
  });
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  symlinkSync(resolve("."), join(modules, "async-music"));
  symlinkSync(join(installed, "@playwright"), join(modules, "@playwright"));
});

afterEach(remove);

const runners = [
  {
    example: "jest/order-song.test.mjs",
    command: [process.execPath, join(installed, "jest/bin/jest.js")],
    variables: { NODE_OPTIONS: "--experimental-vm-modules" },
  },
  {
    example: "bun/order-song.test.mjs",
    command: [join(installed, "@oven/bun-linux-x64/bin/bun"), "test"],
    variables: {},
  },
  {
    example: "playwright/shop.spec.mjs",
    command: [process.execPath, join(installed, "@playwright/test/cli.js"), "test", "--output=results"],
    variables: { CHROMIUM },
  },
];

/** Runs an example in its folder. Returns its status and everything that it writes. */
function run({ example, command: [program = "", ...flags], variables }: (typeof runners)[0]) {
  // Without the variables of this Vitest.
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, CI: "1", ...variables };
  const cwd = resolve(folder, example, "..");
  const { status, stdout, stderr } = spawnSync(program, flags, { encoding: "utf8", env, cwd });
  return { status, output: stdout + stderr };
}

for (const runner of runners) {
  test(`the tests of ${runner.example} pass`, () => {
    const { status, output } = run(runner);
    expect(output).toMatch(/\b2 pass(ed)?\b/);
    expect(status).toBe(0);
  });

  test(`a test of ${runner.example} with an unused fault fails, and the next one does not`, () => {
    const file = join(folder, runner.example);
    const line = "    emulator.faults.add({ path: '/elsewhere', fault: { kind: 'malformed' } });\n";
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/^test\(.*\n/m, (title) => title + line),
    );
    const { status, output } = run(runner);
    expect(output).toContain('- faults.add({"path":"/elsewhere","fault":{"kind":"malformed"}})');
    expect(output).toMatch(/\b1 fail(ed)?\b/);
    expect(output).toMatch(/\b1 pass(ed)?\b/);
    expect(status).toBe(1);
  });
}
