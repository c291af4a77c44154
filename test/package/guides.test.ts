import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, test } from "vitest";
import { createFolder } from "../support/folder.js";
import { type Shown, shownIn, shownOnStage } from "./guides.js";

test.each(shownIn("ts"))("the code of $name runs, and its assertions pass", async (shown) => {
  expect(await run(shown)).toEqual([0, ""]);
});

test.each(shownOnStage("ts"))("the code of $name runs", async (shown) => {
  expect(await run(shown, ["--import", resolve("test/package/stage.ts")])).toEqual([0, ""]);
});

test.each(shownIn("sh"))("the commands of $name succeed", ({ code }) => {
  const emulator = ["dist/cli.js", "emulator", "--clock", "virtual", "--", "sh", "-euc", code];
  expect(execFileSync(process.execPath, emulator, { encoding: "utf8" })).not.toBe("");
});

test("the order of Getting started is killed while it waits, runs again, and is charged once", async () => {
  const { emulator, server, start } = await orderOf(sketch("docs/getting-started.md, 1"));

  const killed = start();
  const [waiting] = await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  await emulator.clock.advance(300_000);
  const again = start();
  const [output] = await Promise.all([text(again.stdout), once(again, "exit")]);
  await server.close();

  expect(output.split("\n")).toEqual([
    String(waiting).trim(),
    expect.stringMatching(/^http/),
    expect.stringMatching(/^http/),
    "Tasks created: 1",
    "",
  ]);
});

test("song.mjs of the README, changed as its steps say, makes one song with an API key, however often it runs", async () => {
  const [program = "", step = ""] = shownOnStage("ts").flatMap(({ name, code }) =>
    name.startsWith("README.md") ? [code] : [],
  );
  const changes = [
    [/^import .*createEmulator.*\n/m, ""],
    [/^const emulator = .*\nconst client = .*\n/m, "const client = new AsyncMusic();\n"],
    [/^const song = [\s\S]*?^\}\);\n/m, step],
  ] as const;
  for (const [pattern] of changes) expect(program).toMatch(pattern);
  const code = changes.reduce((text, [pattern, by]) => text.replace(pattern, by), program);
  const { emulator, server, start } = await orderOf(written({ name: "README.md, song", code }, "mjs"));
  emulator.providers.provider_a.always({ polls: 1 });

  const first = await text(start().stdout);
  const second = await text(start().stdout);
  await server.close();

  expect(first).toMatch(/^songs\/\S+\.mp3\nsongs\/\S+\.mp3\n\{ available: 990, /);
  expect(second).toBe(first);
});

test("both runs of the order of Avoid duplicate charges print the same clips, and it is charged once", async () => {
  const { emulator, server, start } = await orderOf(sketch("docs/avoid-duplicate-charges.md, 1"));
  emulator.providers.provider_a.always({ polls: 1 });

  const first = await text(start().stdout);
  const second = await text(start().stdout);
  await server.close();

  expect(first).toMatch(/^http\S+\nhttp\S+\n$/);
  expect(second).toBe(first);
  expect(emulator.state().tasks).toHaveLength(1);
});

test("the guides have code of every kind", () => {
  for (const language of ["ts", "ts vitest", "ts sketch", "sh"])
    expect(shownIn(language).length).toBeGreaterThan(0);
  for (const language of ["ts", "ts vitest", "ts sketch"])
    expect(shownOnStage(language).length).toBeGreaterThan(0);
});

/** Writes a sketch of a guide, and returns its path. */
function sketch(name: string): string {
  const shown = shownIn("ts sketch").filter((each) => each.name === name);
  return shown.map((each) => written(each)).join();
}

/** A program with a durable journal, in a directory of its own, and the emulator that it orders from. */
async function orderOf(program: string) {
  const emulator = createEmulator({ clock: "real" });
  const server = await serve(emulator, { port: 0 });
  const env = { ...process.env, ASYNC_MUSIC_BASE_URL: server.url, ASYNC_MUSIC_API_KEY: emulator.apiKey };
  const cwd = await createFolder();
  const start = () => spawn(process.execPath, [program], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  return { emulator, server, start };
}

/** Inside the package, so that programs can import it by its name. */
const programs = resolve(".reports/programs");

/** Writes a program, and returns its path. */
function written({ name, code }: Shown, extension = "mts"): string {
  const program = join(programs, `${name.replace(/\W+/g, "-")}.${extension}`);
  mkdirSync(programs, { recursive: true });
  writeFileSync(program, code);
  return program;
}

/** Runs a program in its own directory. Returns its status and stderr. */
async function run(shown: Shown, flags: readonly string[] = []): Promise<[number | null, string]> {
  const options = { cwd: await createFolder(), encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [...flags, written(shown)], options);
  return [status, stderr];
}
