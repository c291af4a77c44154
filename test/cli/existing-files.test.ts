import { writeFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useTerminal } from "./support/terminal.js";

const its = useTerminal({ clips: 2 });

const inFolder = (name: string) => join(its.folder, name);
const textOf = (name: string) => readFile(inFolder(name), "utf8");
/** Creates a file of the user while a task is submitted. */
const createDuringRun = (name: string) =>
  its.emulator.onRequest(({ method }) => {
    if (method === "POST") writeFileSync(inFolder(name), "mine");
  });

test.each(["rain.wav", "rain.mp3", "rain-2.flac"])(
  "run refuses to overwrite %s before anything is charged, and --force replaces it",
  async (name) => {
    await writeFile(inFolder(name), "mine");
    const refused = await its.song("--out", inFolder("rain.mp3"));
    expect([refused.status, its.bodies]).toEqual([2, []]);
    expect(refused.stderr).toContain(`${inFolder(name)} exists. Choose another --out, or add --force`);
    expect(await textOf(name)).toBe("mine");

    const forced = await its.song("--out", inFolder("rain.mp3"), "--force");
    expect(forced).toMatchObject({ status: 0, stdout: expect.stringContaining("rain-2.wav") });
  },
);

test.each(["mp3", "wav", "flac", "ogg", "m4a", "bin"])(
  "--out may have the extension %s in any case: the name without it is compared",
  async (extension) => {
    await writeFile(inFolder("Rain.wav"), "mine");
    for (const written of [extension, extension.toUpperCase()]) {
      const { status } = await its.song("--out", inFolder(`Rain.${written}`));
      expect([written, status, its.bodies]).toEqual([written, 2, []]);
    }
  },
);

const concat = ["concat", "--clip-id", "11111111-1111-4111-8111-111111111111"];
const upload = ["upload", "--url", "https://example.com/a.mp3"];

test.each([
  ["upload", upload, "mix-2.mp3", 0],
  ["upload", upload, "mix.wav", 2],
  ["concat", concat, "mix-2.wav", 10],
  ["a song", ["-d", "rain"], "mix-3.mp3", 2],
  ["a song", ["-d", "rain"], "mix-12.flac", 2],
  ["a song", ["-d", "rain"], "mix-1.mp3", 0],
  ["a song", ["-d", "rain"], "mix-2026.mp3", 0],
  ["a song", ["-d", "rain"], "remix-2.mp3", 0],
  ["a song", ["-d", "rain"], "mix-2.mp3", 2],
])("%s %j with the file %j is status %i", async (_, request, name, expected) => {
  await writeFile(inFolder(name), "mine");
  const { status } = await its.run("run", ...request, "--out", inFolder("mix.mp3"));
  expect([status, its.bodies.length]).toEqual([expected, expected === 2 ? 0 : 1]);
  expect(await textOf(name)).toBe("mine");
});

test("a second run with the same --out is refused, and the first song stays", async () => {
  expect((await its.song("--out", inFolder("song"))).status).toBe(0);
  const first = await readFile(inFolder("song.wav"));
  expect((await its.song("--out", inFolder("song"))).status).toBe(2);
  expect((await readFile(inFolder("song.wav"))).equals(first)).toBe(true);
  expect(its.bodies).toHaveLength(1);
});

test("lyrics with the same --out do not block a song, and the reverse", async () => {
  const out = ["--out", inFolder("rain")];
  expect((await its.run("run", "lyrics", "--prompt", "rain", ...out)).status).toBe(0);
  expect((await its.song(...out)).status).toBe(0);
  expect((await its.run("run", "lyrics", "--prompt", "rain", ...out)).status).toBe(2);
});

test("a file created during the wait is not overwritten, and the song is not lost", async () => {
  its.emulator.providers.provider_a.always({ clips: 1 });
  const stop = createDuringRun("rain.wav");
  const { status, stderr } = await its.song("--out", inFolder("rain"));
  stop();
  expect(status).toBe(14);
  expect(stderr).toContain("already exists. Choose another --out, or add --force.");
  expect(await textOf("rain.wav")).toBe("mine");
  const [, taskId = ""] = /async-music wait (\S+)/.exec(stderr) ?? [];
  const waited = await its.run("wait", taskId, "--out", inFolder("rain"));
  expect(waited.status).toBe(14);
  for (const each of [stderr, waited.stderr]) expect((await its.run(...adviceIn(each))).status).toBe(0);
});

/** The command that stderr advises. */
const adviceIn = (stderr: string) => /\n {2}async-music (.*)\n$/.exec(stderr)?.[1]?.split(" ") ?? [];

test("lyrics that cannot be written name their path, and the advice is to repair it and wait again", async () => {
  createDuringRun("words");
  const { status, stderr } = await its.lyrics("--out", inFolder("words/sea"));
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(
      /Failed to save lyrics to \S+\/words\/sea\.txt: E\w+: .*Fix the path or the disk\./,
    ),
  ]);
  await rm(inFolder("words"));
  expect((await its.run(...adviceIn(stderr))).status).toBe(0);
});

test("a lyrics file created during the wait is not overwritten", async () => {
  const stop = createDuringRun("sea.txt");
  const { status, stderr } = await its.lyrics("--out", inFolder("sea"));
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining("sea.txt: the file exists. Choose another --out, or add --force"),
  ]);
  expect(await textOf("sea.txt")).toBe("mine");
  stop();
  expect((await its.run(...adviceIn(stderr))).status).toBe(0);
});

test("a clip that was saved before in a directory is kept, and --force downloads it again", async () => {
  const again = ["--out", `${its.folder}/`, "--journal", its.journal, "--key", "rain"];
  const first = await its.song(...again);
  const [path = ""] = first.stdout.split("\n");
  await writeFile(path, "edited");
  const second = await its.song(...again);
  expect([second.status, second.stdout]).toEqual([0, first.stdout]);
  expect(second.stderr).toContain(", saved before\n");
  expect(await readFile(path, "utf8")).toBe("edited");
  expect((await its.song(...again, "--force")).stdout).toBe(first.stdout);
  expect((await readFile(path)).subarray(8, 12).toString()).toBe("WAVE");
});

test.skipIf(process.platform !== "linux")(
  "a directory without write access is refused before anything is charged",
  async () => {
    const { status, stderr } = await its.song("--out", "/proc/songs/");
    expect([status, its.bodies]).toEqual([2, []]);
    expect(stderr).toContain("Nothing was sent");
  },
);

test("the check for write access leaves no file", async () => {
  await its.song("--out", `${its.folder}/`, "--max-wait", "1");
  expect(await readdir(its.folder)).toEqual([]);
});
