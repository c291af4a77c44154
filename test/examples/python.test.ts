import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("the program in Python saves its song (needs python3)", () => {
  const folder = mkdtempSync(join(tmpdir(), "async-music-python-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const emulator = [resolve("dist/cli.js"), "emulator", "--", "python3", resolve("examples/python/song.py")];
  const output = execFileSync(process.execPath, emulator, { cwd: folder, encoding: "utf8" });
  const names = [...output.matchAll(/^".*": (.*)$/gm)].map(([, name = ""]) => name);
  expect(output).toMatch(/^1000 credits are available\.\n(?:.*\n)*990 credits are left\.\n$/);
  expect(names).toEqual(["rain-1.mp3", "rain-2.mp3"]);
  for (const name of names) expect(statSync(join(folder, name)).size).toBeGreaterThan(10_000);
});
