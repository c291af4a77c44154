import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AsyncMusic, AudioExpiredError } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { beforeEach, expect, test } from "vitest";
import { folderBucket } from "../../examples/shop/folder.js";
import { type Bucket, storeSong } from "../../examples/storage/store-song.js";
import { createFolder } from "../support/folder.js";
import { rejection } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";

let emulator: Emulator;
let client: AsyncMusic;
beforeEach(() => {
  emulator = createEmulator({ seed: 1, credits: 100 });
  client = new AsyncMusic(emulator.connection());
  return () => emulator[Symbol.asyncDispose]();
});

/** A bucket that refuses a body of another size, as S3, R2 and GCS do. It fails before the stated call of `put`. */
function createBucket(failsBefore = Number.POSITIVE_INFINITY) {
  const objects = new Map<string, { bytes: Uint8Array; contentType: string }>();
  const puts: string[] = [];
  const settings = { failsBefore };
  const bucket: Bucket = {
    has: async (key) => objects.has(key),
    async put(key, body, { size, contentType }) {
      if (puts.length + 1 === settings.failsBefore) throw new Error("killed");
      const bytes = await new Response(body).bytes();
      if (bytes.byteLength !== size) throw new Error(`${key} has ${bytes.byteLength} bytes, not ${size}`);
      puts.push(key);
      objects.set(key, { bytes, contentType });
    },
  };
  return { bucket, objects, puts, settings };
}

test("a song without clips is not stored as complete", async () => {
  emulator.providers.provider_a.next({ clips: 0 });
  const song = await client.tasks.run(SONG_REQUEST);
  const { bucket, puts } = createBucket();
  expect((await rejection(storeSong(client, bucket, song), Error)).message).toContain("has no clips");
  expect(puts).toEqual([]);
});

test.each([undefined, null])("a clip whose cover art is %s is stored without it", async (image_url) => {
  const song = await client.tasks.run(SONG_REQUEST);
  for (const clip of song.output.result) Object.assign(clip, { image_url });
  const { bucket, puts } = createBucket();
  const files = await storeSong(client, bucket, song);
  expect(files.map(({ kind }) => kind)).toEqual(song.output.result.map(() => "audio"));
  expect(puts).toHaveLength(files.length + 1);
});

test("a song is stored whole, and nothing twice, wherever the process was killed before", async () => {
  const song = await client.tasks.run(SONG_REQUEST);
  const clips = song.output.result.length;
  expect(clips).toBeGreaterThan(1);
  const whole = createBucket();
  const files = await storeSong(client, whole.bucket, song);
  expect(files).toHaveLength(2 * clips);
  expect(whole.puts).toHaveLength(2 * clips + 1);
  for (const { key, kind } of files) {
    const stored = whole.objects.get(key);
    expect(stored?.contentType).toMatch(kind === "audio" ? /^audio\// : /^image\//);
  }
  const json = whole.objects.get(`songs/${song.task_id}/song.json`);
  expect(JSON.parse(new TextDecoder().decode(json?.bytes))).toEqual({ taskId: song.task_id, files });

  for (let failsBefore = 1; failsBefore <= whole.puts.length; failsBefore++) {
    const { bucket, objects, puts, settings } = createBucket(failsBefore);
    await expect(storeSong(client, bucket, song)).rejects.toThrow("killed");
    expect(objects.has(`songs/${song.task_id}/song.json`)).toBe(false);
    settings.failsBefore = Number.POSITIVE_INFINITY;
    // Another process finds the task by its id.
    const found = await new AsyncMusic(emulator.connection()).tasks.wait(song.task_id);
    if (found.type !== "music") throw new Error("Invariant: the task is a song.");
    expect(await storeSong(client, bucket, song)).toEqual(files);
    expect(puts).toEqual(whole.puts);
    expect(objects).toEqual(whole.objects);
  }
});

test("a response without a size is stored, and audio that expired is an error", async () => {
  const { fetch, ...connection } = emulator.connection();
  const chunked: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers(response.headers);
    if (!headers.get("Content-Type")?.includes("json")) headers.delete("Content-Length");
    return new Response(response.body, { status: response.status, headers });
  };
  const song = await client.tasks.run(SONG_REQUEST);
  const { bucket, puts } = createBucket();
  await storeSong(new AsyncMusic({ ...connection, fetch: chunked }), bucket, song);
  expect(puts.length).toBeGreaterThan(2);
  await emulator.clock.advance(7 * 24 * 3_600_000 + 1);
  await rejection(storeSong(client, createBucket().bucket, song), AudioExpiredError);
});

test("a folder has a whole object, though another process writes the same object and fails", async () => {
  const folder = await createFolder();
  const bucket = folderBucket(folder);
  const put = () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stored = bucket.put("song", readable, { size: 4, contentType: "audio/mpeg" });
    return { stored, writer: writable.getWriter() };
  };
  const bytes = (text: string) => new TextEncoder().encode(text);
  const first = put();
  await first.writer.write(bytes("so"));
  const second = put();
  await second.writer.write(bytes("s"));
  await first.writer.write(bytes("ng"));
  await Promise.all([first.stored, first.writer.close()]);
  expect(await readFile(join(folder, "song"), "utf8")).toBe("song");
  const failed = rejection(second.stored, Error);
  await second.writer.abort(new Error("the download failed"));
  expect((await failed).message).toBe("the download failed");
  expect((await readdir(folder)).sort()).toEqual(["song", "song.type"]);
});
