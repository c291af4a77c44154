import files, {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { AudioDownloadError, InvalidOptionError } from "async-music";
import { saveAudio } from "async-music/node";
import { test as base, describe, expect, onTestFinished, vi } from "vitest";
import { createFolder, replaceInFiles } from "../../support/folder.js";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { turns } from "../../support/test-clock.js";
import { createWorld } from "../../support/world.js";
import { AUDIO_URL, brokenAfter, endless, MP3, mp3 } from "./support.js";

const OLDER = "an older and longer song";

/** Tests with an empty folder, or with one that has a file. */
const test = base.extend("folder", createFolder).extend("taken", async ({ folder }) => {
  await writeFile(join(folder, "rain.mp3"), OLDER);
  return folder;
});

/** Makes `link` fail as on exFAT until the test ends. */
function breakHardLinks(): void {
  const notPermitted = Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
  replaceInFiles("link", () => Promise.reject(notPermitted));
}

/** Resolves when a draft is being written. */
function draftIn(folder: string): Promise<void> {
  return vi.waitFor(async () => expect(await readdir(folder)).not.toEqual([]), { interval: 1 });
}

/** A download of this response. */
function download(body: BodyInit | null, headers: Record<string, string> = MP3) {
  const { client } = createWorld(() => new Response(body, { headers }));
  return client.audio.download(AUDIO_URL);
}

test("the file is at the returned path, with the extension of its Content-Type", async ({ folder }) => {
  const path = await saveAudio(await download("la la la"), join(folder, "rain"));
  expect(path).toBe(join(folder, "rain.mp3"));
  await expect(readFile(path, "utf8")).resolves.toBe("la la la");
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
});

test.for([
  ["rain.mp3", "rain.mp3"],
  ["rain.wav", "rain.mp3"],
  ["rain.WAV", "rain.mp3"],
  ["rain.v2", "rain.v2.mp3"],
  ["rain.", "rain..mp3"],
  ["mp3", "mp3.mp3"],
] as const)("a path of %j becomes %j", async ([name, expected], { folder }) => {
  await expect(saveAudio(await download("la"), join(folder, name))).resolves.toBe(join(folder, expected));
});

test("a name may be as long as the file system allows", async ({ folder }) => {
  const path = join(folder, "a".repeat(251));
  await expect(saveAudio(await download("la"), path)).resolves.toBe(`${path}.mp3`);
});

test("missing directories are created", async ({ folder }) => {
  const path = await saveAudio(await download("la"), join(folder, "songs", "2026", "rain"));
  await expect(readFile(path, "utf8")).resolves.toBe("la");
});

describe("an existing file", () => {
  test("is refused and stays as it is, and the download can still be saved elsewhere", async ({
    taken: folder,
  }) => {
    const song = await download("la");
    const error = await rejection(saveAudio(song, join(folder, "rain")), AudioDownloadError);
    expect(error).toMatchObject({ url: AUDIO_URL, status: null });
    expect(error.message).toContain(join(folder, "rain.mp3"));
    expect(error.message).toMatch(/already exists.*`unique: true` or `overwrite: true`/);
    await expect(readFile(join(folder, "rain.mp3"), "utf8")).resolves.toBe(OLDER);
    await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
    await expect(saveAudio(song, join(folder, "snow"))).resolves.toBe(join(folder, "snow.mp3"));
  });

  test("is refused before anything of the body is read, however long the download is", async ({
    taken: folder,
  }) => {
    const stalled = await download(new ReadableStream({ pull: () => new Promise(() => {}) }));
    await rejection(saveAudio(stalled, join(folder, "rain")), AudioDownloadError);
  });

  test("that appears during the download is refused, and no draft is left", async ({ folder }) => {
    const path = join(folder, "rain.mp3");
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(10));
        await draftIn(folder);
        await writeFile(path, "another song");
        controller.close();
      },
    });
    const { message } = await rejection(saveAudio(await download(body), path), AudioDownloadError);
    expect(message).toContain(`${path} was created while it was being saved. Download it again.`);
    await expect(readFile(path, "utf8")).resolves.toBe("another song");
    await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
  });

  test("is refused if it is a directory or a broken link", async ({ folder }) => {
    await mkdir(join(folder, "rain.mp3"));
    await symlink(join(folder, "missing"), join(folder, "snow.mp3"));
    for (const name of ["rain", "snow"])
      await rejection(saveAudio(await download("la"), join(folder, name)), AudioDownloadError);
    expect((await readdir(folder)).sort()).toEqual(["rain.mp3", "snow.mp3"]);
  });

  test("is replaced with `overwrite`", async ({ taken: folder }) => {
    const path = join(folder, "rain");
    await expect(saveAudio(await download("la"), path, { overwrite: true })).resolves.toBe(`${path}.mp3`);
    await expect(readFile(`${path}.mp3`, "utf8")).resolves.toBe("la");
    await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
  });

  test("is kept with `unique`, and the new ones end in -2 and -3", async ({ taken: folder }) => {
    for (const number of [2, 3]) {
      const path = await saveAudio(await download(`la ${number}`), join(folder, "rain"), { unique: true });
      expect(path).toBe(join(folder, `rain-${number}.mp3`));
      await expect(readFile(path, "utf8")).resolves.toBe(`la ${number}`);
    }
    await expect(readFile(join(folder, "rain.mp3"), "utf8")).resolves.toBe(OLDER);
    expect((await readdir(folder)).sort()).toEqual(["rain-2.mp3", "rain-3.mp3", "rain.mp3"]);
  });

  test("of another format does not count", async ({ taken: folder }) => {
    const wav = await download("la", { "Content-Type": "audio/wav" });
    const path = await saveAudio(wav, join(folder, "rain.mp3"), { unique: true });
    expect(path).toBe(join(folder, "rain.wav"));
  });

  test("is not overwritten on a file system without hard links either", async ({ taken: folder }) => {
    breakHardLinks();
    await rejection(saveAudio(await download("la"), join(folder, "rain")), AudioDownloadError);
    const path = join(folder, "rain");
    const saving = ["a", "b"].map(async (song) => saveAudio(await download(song), path, { unique: true }));
    expect((await Promise.all(saving)).sort()).toEqual([`${path}-2.mp3`, `${path}-3.mp3`]);
    await expect(readFile(join(folder, "rain.mp3"), "utf8")).resolves.toBe(OLDER);
    expect((await readdir(folder)).sort()).toEqual(["rain-2.mp3", "rain-3.mp3", "rain.mp3"]);
  });
});

test.for([
  ["both options at once", { overwrite: true, unique: true }, "unique"],
  ["a value that is not a boolean", { overwrite: "no" }, "overwrite"],
  ["a misspelled option", { overwite: true }, "overwite"],
])("%s: a usage error, and nothing is written", async ([_, options, option], { folder }) => {
  const song = await download("la");
  const saving = Reflect.apply(saveAudio, null, [song, join(folder, "rain"), options]);
  expect((await rejection(saving, InvalidOptionError)).option).toBe(option);
  await expect(readdir(folder)).resolves.toEqual([]);
  const path = join(folder, "rain");
  await expect(saveAudio(song, path, { overwrite: true, unique: false })).resolves.toBe(`${path}.mp3`);
});

const FAILURES: [what: string, body: () => BodyInit, headers: Record<string, string>][] = [
  ["breaks off", () => brokenAfter("la la"), MP3],
  ["is shorter than its Content-Length", () => "la", { ...MP3, "Content-Length": "500" }],
];

test.for(FAILURES)(
  "a download that %s leaves the directory unchanged",
  async ([_, body, headers], { folder }) => {
    const path = join(folder, "rain");
    await rejection(saveAudio(await download(body(), headers), path), AudioDownloadError);
    await expect(readdir(folder)).resolves.toEqual([]);
    await writeFile(`${path}.mp3`, "older");
    const replacing = saveAudio(await download(body(), headers), path, { overwrite: true });
    await rejection(replacing, AudioDownloadError);
    await expect(readFile(`${path}.mp3`, "utf8")).resolves.toBe("older");
    await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
  },
);

test.for([
  ["abort()", undefined],
  ["a DOMException", new DOMException("stop", "AbortError")],
  ["an error that looks like one of the disk's", Object.assign(new Error("disk"), { code: "ENOSPC" })],
  ["a string", "stop"],
])("an abort by %s rejects with its reason and leaves no draft", async ([_, reason], { folder }) => {
  const controller = new AbortController();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) });
  const { client } = createWorld(() => mp3(body));
  const song = await client.audio.download(AUDIO_URL, { signal: controller.signal });
  const saving = saveAudio(song, join(folder, "rain")).catch((error: unknown) => ({ error }));
  await draftIn(folder);
  controller.abort(reason);
  expect(await saving).toEqual({ error: controller.signal.reason });
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("a path that can't be written is an error with its cause; the body is canceled", async ({ folder }) => {
  await mkdir(join(folder, "rain.mp3"));
  const onFolder = saveAudio(await download("la"), join(folder, "rain"), { overwrite: true });
  const error = await rejection(onFolder, AudioDownloadError);
  expect(error).toMatchObject({ url: AUDIO_URL, status: null, cause: { code: "EISDIR" } });
  expect(error.message).toMatch(/rain\.mp3.*EISDIR/);
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);

  await writeFile(join(folder, "file"), "");
  let left = 0;
  const inFile = saveAudio(await download(endless(() => left++)), join(folder, "file", "rain"));
  expect((await rejection(inFile, AudioDownloadError)).cause).toMatchObject({
    code: expect.stringMatching(/^(?:EEXIST|ENOTDIR)$/),
  });
  expect(left).toBe(1);
});

test("a full disk is an error with its cause, and no draft is left", async ({ folder }) => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const handle = await open(join(folder, "probe"), "w");
  await handle.close();
  await rm(join(folder, "probe"));
  const write = vi.spyOn(Object.getPrototypeOf(handle), "writeFile").mockRejectedValue(full);
  onTestFinished(() => write.mockRestore());
  const error = await rejection(saveAudio(await download("la"), join(folder, "rain")), AudioDownloadError);
  expect(error.cause).toBe(full);
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("a file is on the disk before it gets its name, and is closed after a failure", async ({ folder }) => {
  const { open: realOpen } = files;
  const handles: FileHandle[] = [];
  replaceInFiles("open", async (...given) => {
    const handle = await realOpen(...given);
    vi.spyOn(handle, "sync");
    handles.push(handle);
    return handle;
  });
  await saveAudio(await download("la"), join(folder, "rain"));
  await rejection(saveAudio(await download(brokenAfter("la la")), join(folder, "snow")), AudioDownloadError);
  // The draft of the first song, the directory, and the draft of the second one.
  expect(handles.map(({ sync }) => vi.mocked(sync).mock.calls.length)).toEqual([1, 1, 0]);
  expect(handles.map(({ fd }) => fd)).toEqual([-1, -1, -1]);
});

test("a directory that can't be made is reported while the body stalls", async ({ folder }) => {
  await writeFile(join(folder, "file"), "");
  const stalled = await download(new ReadableStream({ pull: () => new Promise(() => {}) }));
  await turns(3);
  const saving = saveAudio(stalled, join(folder, "file", "in", "rain"));
  expect((await rejection(saving, AudioDownloadError)).cause).toMatchObject({
    code: "ENOTDIR",
    syscall: "mkdir",
  });
});

const TWO_SONGS = ["a".repeat(100_000), "b".repeat(100_000)] as const;

test("of two saves to one path, the refused download can be saved elsewhere", async ({ folder }) => {
  const path = join(folder, "rain.mp3");
  const [first, second] = [await download(TWO_SONGS[0]), await download(TWO_SONGS[1])];
  const saving = saveAudio(first, path);
  const { message } = await rejection(saveAudio(second, path), AudioDownloadError);
  expect(message).toContain(`another call is saving ${path}. Choose another path`);
  await expect(saving).resolves.toBe(path);
  await expect(readFile(path, "utf8")).resolves.toBe(TWO_SONGS[0]);
  const elsewhere = await saveAudio(second, join(folder, "snow"));
  await expect(readFile(elsewhere, "utf8")).resolves.toBe(TWO_SONGS[1]);
  expect((await readdir(folder)).sort()).toEqual(["rain.mp3", "snow.mp3"]);
});

test("a path in use is skipped by `unique`, and free again after a failure", async ({ folder }) => {
  const stop = new AbortController();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) });
  const { client } = createWorld(() => mp3(body));
  const slow = await client.audio.download(AUDIO_URL, { signal: stop.signal });
  const saving = saveAudio(slow, join(folder, "rain")).catch(() => "aborted");
  await draftIn(folder);
  const second = await saveAudio(await download("la"), join(folder, "rain"), { unique: true });
  expect(second).toBe(join(folder, "rain-2.mp3"));
  stop.abort();
  expect(await saving).toBe("aborted");
  await expect(saveAudio(await download("la"), join(folder, "rain"))).resolves.toBe(join(folder, "rain.mp3"));
});

test("two concurrent saves to one path with `unique` both succeed", async ({ folder }) => {
  const path = join(folder, "rain");
  const save = async (song: string) => saveAudio(await download(song), path, { unique: true });
  const paths = await Promise.all(TWO_SONGS.map(save));
  await expect(Promise.all(paths.map((path) => readFile(path, "utf8")))).resolves.toEqual(TWO_SONGS);
  expect((await readdir(folder)).sort()).toEqual(["rain-2.mp3", "rain.mp3"]);
});

test("two concurrent saves to one path with `overwrite` leave one complete file", async ({ folder }) => {
  const path = join(folder, "rain");
  await Promise.all(
    TWO_SONGS.map(async (song) => saveAudio(await download(song), path, { overwrite: true })),
  );
  expect(TWO_SONGS).toContain(await readFile(join(folder, "rain.mp3"), "utf8"));
  await expect(readdir(folder)).resolves.toEqual(["rain.mp3"]);
});

test.for(["", undefined, 7])("the path %j is refused, and nothing is written", async (path) => {
  const saving = saveAudio(await download("song"), path as string);
  expect((await rejection(saving, InvalidOptionError)).option).toBe("path");
});

const NO_FILES = ["songs/", "songs/.mp3", "songs/..", ".", ".."];
test.for(NO_FILES)("the path %j, which names no file, is refused", async (path, { folder }) => {
  const song = await download("song");
  const error = await rejection(saveAudio(song, `${folder}/${path}`), InvalidOptionError);
  expect(error.option).toBe("path");
  await expect(readdir(folder)).resolves.toEqual([]);
  await expect(saveAudio(song, join(folder, "rain"))).resolves.toBe(join(folder, "rain.mp3"));
});

test.for<[what: string, given: unknown]>([
  ["a clip", { id: "clip-1", audio_url: "https://audio.example/song.wav", extension: "wav" }],
  ["a promise of a download", download("song")],
  ["a response of fetch", new Response("song")],
  ["nothing", undefined],
])("%s instead of a download is refused, with the correct call", async ([_, given], { folder }) => {
  const saving = Reflect.apply(saveAudio, null, [given, join(folder, "rain")]);
  const { option, message } = await rejection(saving, InvalidOptionError);
  expect(option).toBe("download");
  expect(message).toContain("`await client.audio.download(clip)`");
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("a large body is written chunk by chunk, in order", async ({ folder }) => {
  const pieces = Array.from({ length: 64 }, (_, index) => new Uint8Array(16_384).fill(index));
  const path = await saveAudio(await download(streamOf(pieces)), join(folder, "rain"));
  expect(Buffer.compare(await readFile(path), Buffer.concat(pieces))).toBe(0);
});

test("of two saves of one download at once, one is refused, and the file of the other is complete", async ({
  folder,
}) => {
  const audio = await download("la la la");
  const saves = ["rain", "sun"].map((name) => saveAudio(audio, join(folder, name)));
  const ends = (await Promise.allSettled(saves)).sort((one, other) => one.status.localeCompare(other.status));
  const file = Object(ends[0]).value;
  expect([join(folder, "rain.mp3"), join(folder, "sun.mp3")]).toContain(file);
  expect(ends[1]).toMatchObject({ reason: { name: "AudioDownloadError" } });
  expect(await readdir(folder)).toEqual([basename(file)]);
  expect(await readFile(file, "utf8")).toBe("la la la");
});

test("a body of which a part was read is not saved", async ({ folder }) => {
  for (const headers of [{ ...MP3, "Content-Length": "8" }, MP3]) {
    const audio = await download(streamOf([new Uint8Array(6), new Uint8Array(2)]), headers);
    const reader = audio.body.getReader();
    await reader.read();
    reader.releaseLock();
    const { message } = await rejection(saveAudio(audio, join(folder, "rain")), AudioDownloadError);
    expect(message).toContain("its body was read before");
    // The caller can still read what is left.
    expect((await audio.body.getReader().read()).value).toHaveLength(2);
  }
  await expect(readdir(folder)).resolves.toEqual([]);
});

test("a body that was already read is not saved", async ({ folder }) => {
  for (const headers of [{ ...MP3, "Content-Length": "8" }, MP3]) {
    const locked = await download("la la la", headers);
    await locked.arrayBuffer();
    const consumed = await download("la la la", headers);
    for await (const _ of consumed.body);
    for (const audio of [locked, consumed]) {
      const { message } = await rejection(saveAudio(audio, join(folder, "rain")), AudioDownloadError);
      expect(message).toContain("its body was read before");
    }
  }
  await expect(readdir(folder)).resolves.toEqual([]);
});
