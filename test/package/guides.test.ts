import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shownIn } from "./guides.js";

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

test("the guides show all of these", () => {
  for (const language of ["ts", "ts vitest", "ts sketch", "sh"])
    expect(shownIn(language).length).toBeGreaterThan(0);
});
