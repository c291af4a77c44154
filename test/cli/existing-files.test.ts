import { writeFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index.js";
import { createFolder, createTerminal } from "./support/terminal.js";

let emulator: Emulator;
let folder: string;
beforeEach(async () => {
  emulator = createEmulator({ seed: 1, credits: 100 });
  emulator.providers.provider_a.always({ clips: 2 });
  folder = await createFolder();
  return () => emulator[Symbol.asyncDispose]();
});

test.each(["rain.wav", "rain.mp3", "rain-2.flac"])(
  "run refuses to overwrite %s before anything is charged, and --force replaces it",
  async (name) => {
    await writeFile(join(folder, name), "mine");
    const { run, bodies } = createTerminal(emulator);
    const refused = await run("run", "-d", "rain", "--out", join(folder, "rain.mp3"));
    expect([refused.status, bodies]).toEqual([2, []]);
    expect(refused.stderr).toContain(`${join(folder, name)} exists. Choose another --out, or add --force`);
    expect(await readFile(join(folder, name), "utf8")).toBe("mine");

    const forced = await run("run", "-d", "rain", "--out", join(folder, "rain.mp3"), "--force");
    expect(forced).toMatchObject({ status: 0, stdout: expect.stringContaining("rain-2.wav") });
  },
);

const concat = ["concat", "--clip-id", "11111111-1111-4111-8111-111111111111"];
const upload = ["upload", "--url", "https://example.com/a.mp3"];

test.each([
  ["upload", upload, "mix-2.mp3", 0],
  ["upload", upload, "mix.wav", 2],
  ["concat", concat, "mix-2.wav", 10],
  ["a song", ["-d", "rain"], "mix-3.mp3", 0],
  ["a song", ["-d", "rain"], "mix-2.mp3", 2],
])("%s %j with the file %j is status %i", async (_, request, name, expected) => {
  await writeFile(join(folder, name), "mine");
  const { run, bodies } = createTerminal(emulator);
  const { status } = await run("run", ...request, "--out", join(folder, "mix.mp3"));
  expect([status, bodies.length]).toEqual([expected, expected === 2 ? 0 : 1]);
  expect(await readFile(join(folder, name), "utf8")).toBe("mine");
});

test("a second run with the same --out is refused, and the first song stays", async () => {
  const { run, bodies } = createTerminal(emulator);
  const song = ["run", "-d", "rain", "--out", join(folder, "song")];
  expect((await run(...song)).status).toBe(0);
  const first = await readFile(join(folder, "song.wav"));
  expect((await run(...song)).status).toBe(2);
  expect((await readFile(join(folder, "song.wav"))).equals(first)).toBe(true);
  expect(bodies).toHaveLength(1);
});

test("lyrics with the same --out do not block a song, and the reverse", async () => {
  const { run } = createTerminal(emulator);
  const out = ["--out", join(folder, "rain")];
  expect((await run("run", "lyrics", "--prompt", "rain", ...out)).status).toBe(0);
  expect((await run("run", "-d", "rain", ...out)).status).toBe(0);
  expect((await run("run", "lyrics", "--prompt", "rain", ...out)).status).toBe(2);
});

test("a file created during the wait is not overwritten, and the song is not lost", async () => {
  emulator.providers.provider_a.always({ clips: 1 });
  const terminal = createTerminal(emulator);
  const stop = emulator.onRequest(({ method }) => {
    if (method === "POST") writeFileSync(join(folder, "rain.wav"), "mine");
  });
  const { status, stderr } = await terminal.run("run", "-d", "rain", "--out", join(folder, "rain"));
  stop();
  expect(status).toBe(14);
  expect(stderr).toContain("already exists. Choose another --out, or add --force.");
  expect(await readFile(join(folder, "rain.wav"), "utf8")).toBe("mine");
  const [, taskId = ""] = /async-music wait (\S+)/.exec(stderr) ?? [];
  expect((await terminal.run("wait", taskId, "--out", join(folder, "rain"))).status).toBe(14);
  expect((await terminal.run("wait", taskId, "--out", join(folder, "rain"), "--force")).status).toBe(0);
});

test("a lyrics file created during the wait is not overwritten", async () => {
  const terminal = createTerminal(emulator);
  emulator.onRequest(({ method }) => {
    if (method === "POST") writeFileSync(join(folder, "sea.txt"), "mine");
  });
  const { status, stderr } = await terminal.run(
    "run",
    "lyrics",
    "--prompt",
    "sea",
    "--out",
    join(folder, "sea"),
  );
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining("sea.txt exists. Choose another --out, or add --force"),
  ]);
  expect(await readFile(join(folder, "sea.txt"), "utf8")).toBe("mine");
});

test("in a directory, a clip that was saved before is kept and its path written again, and --force downloads it again", async () => {
  const { run } = createTerminal(emulator);
  const again = ["-d", "rain", "--out", `${folder}/`, "--journal", join(folder, "j"), "--key", "rain"];
  const first = await run("run", ...again);
  const [path = ""] = first.stdout.split("\n");
  await writeFile(path, "edited");
  const second = await run("run", ...again);
  expect([second.status, second.stdout]).toEqual([0, first.stdout]);
  expect(second.stderr).toContain(", saved before\n");
  expect(await readFile(path, "utf8")).toBe("edited");
  expect((await run("run", ...again, "--force")).stdout).toBe(first.stdout);
  expect((await readFile(path)).subarray(8, 12).toString()).toBe("WAVE");
});

test.skipIf(process.platform !== "linux")(
  "a directory without write access is refused before anything is charged",
  async () => {
    const { run, bodies } = createTerminal(emulator);
    const { status, stderr } = await run("run", "-d", "rain", "--out", "/proc/songs/");
    expect([status, bodies]).toEqual([1, []]);
    expect(stderr).toContain("Nothing was sent");
  },
);

test("the check for write access leaves no file", async () => {
  const { run } = createTerminal(emulator);
  await run("run", "-d", "rain", "--out", `${folder}/`, "--max-wait", "1");
  expect(await readdir(folder)).toEqual([]);
});
