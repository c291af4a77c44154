import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AudioDownloadError, InvalidOptionError, type SizedAudioDownload } from "async-music";
import { saveAudio } from "async-music/node";
import { expect, expectTypeOf, test } from "vitest";
import { createFolder } from "../../support/folder.js";
import { rejection } from "../../support/rejection.js";
import { streamOf } from "../../support/stream.js";
import { createWorld } from "../../support/world.js";
import { AUDIO_URL, brokenAfter, download, encode, mp3, SONG } from "./support.js";

const letters = () => streamOf([...SONG].map((letter) => encode(letter)));
const required = { size: "required" } as const;

test("the size of a response without one is known, and each way of reading has all bytes", async () => {
  const { client } = createWorld(() => mp3(letters()));
  expect((await client.audio.download(AUDIO_URL)).size).toBeNull();
  const audio = await client.audio.download(AUDIO_URL, required);
  expectTypeOf(audio).toEqualTypeOf<SizedAudioDownload>();
  expectTypeOf(audio.size).toEqualTypeOf<number>();
  expect(audio).toMatchObject({ size: SONG.length, contentType: "audio/mpeg", extension: "mp3" });
  expect(await new Response(audio.body).text()).toBe(SONG);
  expect(await (await audio.blob()).text()).toBe(SONG);
  expect((await audio.blob()).type).toBe("audio/mpeg");
  expect((await audio.arrayBuffer()).byteLength).toBe(SONG.length);

  const folder = await createFolder();
  const path = await saveAudio(await client.audio.download(AUDIO_URL, required), join(folder, "song"));
  expect(await readFile(path, "utf8")).toBe(SONG);
  expect(await readdir(folder)).toHaveLength(1);
});

test("a response that states its size is streamed, not held in memory", async () => {
  let isRead = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(to) {
        isRead = true;
        to.enqueue(encode(SONG));
        to.close();
      },
    },
    { highWaterMark: 0 },
  );
  const audio = await download(() => mp3(body, { "Content-Length": String(SONG.length) }), required);
  expect(audio.size).toBe(SONG.length);
  expect(isRead).toBe(false);
  expect(await new Response(audio.body).text()).toBe(SONG);
});

test("audio without a stated size that is larger than 128 MiB is refused, and so is audio beyond `maxBytes`", async () => {
  const piece = new Uint8Array(2 ** 20);
  const endless = () => new ReadableStream({ pull: (to) => to.enqueue(piece) });
  const { client } = createWorld(() => mp3(endless()));
  const error = await rejection(client.audio.download(AUDIO_URL, required), AudioDownloadError);
  expect(error.message).toContain("larger than 134217728 bytes, the limit if the response states no size");
  expect(error.message).toContain("Save it with `saveAudio`, then upload the file.");
  const limited = await rejection(
    client.audio.download(AUDIO_URL, { ...required, maxBytes: 1000 }),
    AudioDownloadError,
  );
  expect(limited.message).toContain("larger than 1000 bytes, the limit `maxBytes`");
});

test("a broken body and an abort end the download while it is read into memory", async () => {
  const broken = createWorld(() => mp3(brokenAfter("so")));
  await rejection(
    broken.client.audio.download(AUDIO_URL, { ...required, maxRetries: 0 }),
    AudioDownloadError,
  );

  const aborter = new AbortController();
  let isCanceled = false;
  const stalled = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (to) => to.enqueue(encode("so")),
    pull: () => aborter.abort("enough"),
    cancel() {
      isCanceled = true;
    },
  });
  const aborted = download(() => mp3(stalled), { ...required, signal: aborter.signal });
  expect(await aborted.catch((reason: unknown) => reason)).toBe("enough");
  expect(isCanceled).toBe(true);
});

test("another value is refused", async () => {
  const options: object = { size: "known" };
  const error = await rejection(
    download(() => mp3(letters()), options),
    InvalidOptionError,
  );
  expect(error.message).toBe('`size` must be "required"; got a string of length 5.');
});
