import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type Shown, shownIn, shownOnStage } from "./guides.js";

test.each(shownIn("ts"))("the code of $name runs, and its assertions pass", (shown) => {
  expect(run(shown)).toEqual([0, ""]);
});

test.each(shownOnStage("ts"))("the code of $name runs", (shown) => {
  expect(run(shown, ["--import", resolve("test/package/stage.ts")])).toEqual([0, ""]);
});

test.each(shownIn("sh"))("the commands of $name succeed", ({ code }) => {
  const emulator = ["dist/cli.js", "emulator", "--clock", "virtual", "--", "sh", "-euc", code];
  expect(execFileSync(process.execPath, emulator, { encoding: "utf8" })).not.toBe("");
});

test("the guides have code of every kind", () => {
  for (const language of ["ts", "ts vitest", "ts sketch", "sh"])
    expect(shownIn(language).length).toBeGreaterThan(0);
  for (const language of ["ts", "ts vitest", "ts sketch"])
    expect(shownOnStage(language).length).toBeGreaterThan(0);
});

/** Inside the package, so that programs can import it by its name. */
const programs = resolve(".reports/programs");

/** Runs a program in its own directory. Resolves with its status and stderr. */
function run({ name, code }: Shown, flags: readonly string[] = []): [number | null, string] {
  const folder = mkdtempSync(join(tmpdir(), "async-music-guide-"));
  const program = join(programs, `${name.replace(/\W+/g, "-")}.mts`);
  mkdirSync(programs, { recursive: true });
  writeFileSync(program, code);
  try {
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync(process.execPath, [...flags, program], options);
    return [status, stderr];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
