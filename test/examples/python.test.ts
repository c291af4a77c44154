import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { shownIn } from "../package/guides.js";
import { createFolder } from "../support/folder.js";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython).each([
  ["saves its song", []],
  [
    "continues after polls without a complete response",
    [{ kind: "disconnect", when: "after" }, { kind: "malformed" }],
  ],
])("the program in Python %s (needs python3)", async (_, faults) => {
  const folder = await createFolder();
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

test.skipIf(!hasPython).each(shownIn("python"))(
  "$name: the test passes, and leaves no process",
  async ({ code }) => {
    const folder = await createFolder();
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    symlinkSync(resolve("dist/cli.js"), join(folder, "node_modules/.bin/async-music"));
    // SIGTERM ends the emulator with status 0.
    const more = "\n\ndef tearDownModule():\n    print('status', SongTest.process.returncode)\n";
    writeFileSync(join(folder, "test_guide.py"), code + more);
    const tests = ["-W", "error::ResourceWarning", "-m", "unittest"];
    const { status, stdout, stderr } = spawnSync("python3", tests, { cwd: folder, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^Ran 1 test .*\nOK\n$/ms)]);
    expect(stdout).toBe("status 0\n");
  },
);

test("the last response to the commands of the guide is the one that it shows", () => {
  const code = shownIn("sh").find((shown) => shown.code.includes("X-Emulator-Outcome"))?.code ?? "";
  const begunAt = Date.now();
  const emulator = [resolve("dist/cli.js"), "emulator", "--", "sh", "-euc", code];
  const output = execFileSync(process.execPath, emulator, { encoding: "utf8" });
  const { code: status, data } = JSON.parse(/\{"code":.*/.exec(output)?.[0] ?? "");
  const page = readFileSync("docs/other-languages.md", "utf8");
  const shown = JSON.parse(/The last response is .*?```json\n(.*?)```/s.exec(page)?.[1] ?? "");
  expect(shown).toEqual({ code: status, data: { ...data, created_at: shown.data.created_at } });
  expect(Date.parse(data.created_at)).toBeGreaterThanOrEqual(begunAt + 300_000);
  // The time of a virtual clock's start.
  expect(shown.data.created_at).not.toMatch(/^2026-01-01/);
});
