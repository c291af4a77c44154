import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncMusicError, AudioDownloadError, InvalidOptionError } from "async-music";
import { saveAudio } from "async-music/node";
import { expect, onTestFinished, test } from "vitest";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { turns } from "../../support/test-clock.js";
import { createWorld } from "../../support/world.js";

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "save-audio-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A download of the given answer. */
function download(body: BodyInit | null, headers: Record<string, string> = { "Content-Type": "audio/mpeg" }) {
  const { client } = createWorld(() => new Response(body, { headers }));
  return client.audio.download("https://audio.example/song.wav");
}

function broken(): ReadableStream<Uint8Array> {
  let pieces = 0;
  return new ReadableStream({
    pull(controller) {
      if (pieces++ < 3) controller.enqueue(new Uint8Array(1000));
      else controller.error(new TypeError("terminated"));
    },
  });
}

test("the whole song is at the path that is answered, with the extension of its Content-Type", async () => {
  const folder = await createFolder();
  const path = await saveAudio(await download("la la la"), join(folder, "rain"));
  expect(path).toBe(join(folder, "rain.mp3"));
  await expect(readFile(path, "utf8")).resolves.toBe("la la la");
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
});

test.each([
  ["rain.mp3", "rain.mp3"],
  ["rain.wav", "rain.mp3"],
  ["rain.WAV", "rain.mp3"],
  ["rain.v2", "rain.v2.mp3"],
  ["rain.", "rain..mp3"],
  ["mp3", "mp3.mp3"],
])("a path of %j becomes %j", async (name, expected) => {
  const folder = await createFolder();
  await expect(saveAudio(await download("la"), join(folder, name))).resolves.toBe(join(folder, expected));
});

test("a name may be as long as the disk takes, while it is written too", async () => {
  const folder = await createFolder();
  const path = join(folder, "a".repeat(251));
  await expect(saveAudio(await download("la"), path)).resolves.toBe(`${path}.mp3`);
});

test("content of an unknown type is a .bin", async () => {
  const folder = await createFolder();
  const path = await saveAudio(await download("?", { "Content-Type": "audio/x-new" }), join(folder, "rain"));
  expect(path).toBe(join(folder, "rain.bin"));
});

test("folders that are missing are made", async () => {
  const folder = await createFolder();
  const path = await saveAudio(await download("la"), join(folder, "songs", "2026", "rain"));
  await expect(readFile(path, "utf8")).resolves.toBe("la");
});

test("a file of the name is replaced", async () => {
  const folder = await createFolder();
  await writeFile(join(folder, "rain.mp3"), "an older and longer song");
  await saveAudio(await download("la"), join(folder, "rain"));
  await expect(readFile(join(folder, "rain.mp3"), "utf8")).resolves.toBe("la");
});

const FAILURES: [what: string, body: () => BodyInit, headers: Record<string, string>][] = [
  ["breaks off", broken, { "Content-Type": "audio/mpeg" }],
  ["is shorter than it was to be", () => "la", { "Content-Type": "audio/mpeg", "Content-Length": "500" }],
];

test.each(FAILURES)("a song that %s leaves nothing behind", async (_, body, headers) => {
  const folder = await createFolder();
  await rejection(saveAudio(await download(body(), headers), join(folder, "rain")), AudioDownloadError);
  await expect(readdir(folder)).resolves.toEqual([]);
});

test.each(FAILURES)("a song that %s leaves the file that was there as it was", async (_, body, headers) => {
  const folder = await createFolder();
  await writeFile(join(folder, "rain.mp3"), "older");
  await rejection(saveAudio(await download(body(), headers), join(folder, "rain")), AudioDownloadError);
  await expect(readFile(join(folder, "rain.mp3"), "utf8")).resolves.toBe("older");
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
});

test("a place that can't be written is an error that leaves nothing behind, and leaves the download", async () => {
  const folder = await createFolder();
  await mkdir(join(folder, "rain.mp3"));
  const onFolder = saveAudio(await download("la"), join(folder, "rain"));
  await expect(onFolder).rejects.toMatchObject({ code: "EISDIR" });
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);

  await writeFile(join(folder, "file"), "");
  let left = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => {
      left = true;
    },
  });
  const inFile = saveAudio(await download(body), join(folder, "file", "rain"));
  await expect(inFile).rejects.toMatchObject({ code: expect.stringMatching(/^(?:EEXIST|ENOTDIR)$/) });
  expect(left).toBe(true);
});

test("a place that no draft can stand at says so itself, and does not wait for a song that stalls", async () => {
  const folder = await createFolder();
  await writeFile(join(folder, "file"), "");
  const stalled = await download(new ReadableStream({ pull: () => new Promise(() => {}) }));
  await turns(3);
  await expect(saveAudio(stalled, join(folder, "file", "in", "rain"))).rejects.toMatchObject({
    code: "ENOTDIR",
    syscall: "mkdir",
  });
});

test("two songs that are saved to one path at once leave one of them whole", async () => {
  const folder = await createFolder();
  const [one, other] = ["a".repeat(100_000), "b".repeat(100_000)];
  const saving = [one, other].map(async (song) => saveAudio(await download(song), join(folder, "rain")));
  await Promise.all(saving);
  expect([one, other]).toContain(await readFile(join(folder, "rain.mp3"), "utf8"));
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
});

test.each(["", undefined, 7])("the path %j is refused, and nothing is written", async (path) => {
  const saving = saveAudio(await download("song"), path as string);
  expect((await rejection(saving, InvalidOptionError)).option).toBe("path");
});

test.each(["songs/", "songs/.mp3", "songs/..", ".", ".."])(
  "the path %j names no file: one song after the other would be saved over the last",
  async (path) => {
    const folder = await createFolder();
    const song = await download("song");
    const error = await rejection(saveAudio(song, `${folder}/${path}`), InvalidOptionError);
    expect(error.option).toBe("path");
    await expect(readdir(folder)).resolves.toEqual([]);
    await expect(saveAudio(song, join(folder, "rain"))).resolves.toBe(join(folder, "rain.mp3"));
  },
);

test.each([
  ["a clip", { id: "clip-1", audio_url: "https://audio.example/song.wav", extension: "wav" }],
  ["a promise of a download", download("song")],
  ["an answer of fetch", new Response("song")],
  ["nothing", undefined],
])("%s in place of a download is refused with what belongs there", async (_, given) => {
  const folder = await createFolder();
  const { option, message } = await rejection(
    Reflect.apply(saveAudio, null, [given, join(folder, "rain")]),
    InvalidOptionError,
  );
  expect(option).toBe("download");
  expect(message).toContain("`await client.audio.download(clip)`");
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("a large song is written piece by piece, in order", async () => {
  const folder = await createFolder();
  const pieces = Array.from({ length: 64 }, (_, index) => new Uint8Array(16_384).fill(index));
  const path = await saveAudio(await download(streamOf(pieces)), join(folder, "rain"));
  expect(Buffer.compare(await readFile(path), Buffer.concat(pieces))).toBe(0);
});

test("a body that was read before is not saved, and says so", async () => {
  const folder = await createFolder();
  const headers = { "Content-Type": "audio/mpeg", "Content-Length": "8" };
  const locked = await download("la la la", headers);
  await locked.arrayBuffer();
  const consumed = await download("la la la", headers);
  for await (const _ of consumed.body);
  for (const audio of [locked, consumed]) {
    const { message } = await rejection(saveAudio(audio, join(folder, "rain")), AsyncMusicError);
    expect(message).toContain("its body was read before");
  }
  await expect(readdir(folder)).resolves.toEqual([]);
});
