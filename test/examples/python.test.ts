import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython).each([
  ["saves its song", []],
  [
    "continues after polls without a complete response",
    [{ kind: "disconnect", when: "after" }, { kind: "malformed" }],
  ],
])("the program in Python %s (needs python3)", (_, faults) => {
  const folder = mkdtempSync(join(tmpdir(), "async-music-python-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const add = faults.map((fault) => {
    const rule = JSON.stringify({ method: "GET", path: "/api/v1/task/*", fault });
    return `curl -fsS -o rule "$ASYNC_MUSIC_BASE_URL/_emulator/faults" -H "Content-Type: application/json" -d '${rule}'`;
  });
  const commands = [...add, `python3 ${resolve("examples/python/song.py")}`].join("\n");
  const emulator = [resolve("dist/cli.js"), "emulator", "--", "sh", "-euc", commands];
  const output = execFileSync(process.execPath, emulator, { cwd: folder, encoding: "utf8" });
  const names = [...output.matchAll(/^".*": (.*)$/gm)].map(([, name = ""]) => name);
  expect(output).toMatch(/^1000 credits are available\.\n(?:.*\n)*990 credits are left\.\n$/);
  expect(names).toEqual(["rain-1.mp3", "rain-2.mp3"]);
  for (const name of names) expect(statSync(join(folder, name)).size).toBeGreaterThan(10_000);
});
