import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AsyncMusic, AudioDownloadError, AudioExpiredError, InvalidOptionError } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { folderBucket } from "../../examples/shop/folder.js";
import { r2Bucket } from "../../examples/storage/r2.js";
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

test.each([404, 403, 503])(
  "a cover that fails with %i does not prevent that all audio is stored",
  async (status) => {
    const song = await client.tasks.run(SONG_REQUEST);
    const clips = song.output.result;
    const { bucket, puts } = createBucket();
    const path = new URL(clips[0]?.image_url ?? "").pathname;
    emulator.faults.add({ path, times: 3, fault: { kind: "status", status, when: "before" } });
    const stored = storeSong(client, bucket, song);
    if (status < 500) expect(await stored).toHaveLength(2 * clips.length - 1);
    else expect((await rejection(stored, AudioDownloadError)).status).toBe(status);
    const keyOf = (id: string, kind: string) => `songs/${song.task_id}/${id}-${kind}`;
    const others = clips.slice(1);
    expect(puts).toEqual([
      ...clips.map(({ id }) => keyOf(id, "audio")),
      ...others.map(({ id }) => keyOf(id, "cover")),
      ...(status < 500 ? [`songs/${song.task_id}/song.json`] : []),
    ]);
    emulator.faults.clear();
    expect(await storeSong(client, bucket, song)).toHaveLength(2 * clips.length);
  },
);

test("audio that fails does not prevent that the audio of another clip is stored", async () => {
  const song = await client.tasks.run(SONG_REQUEST);
  const [first, ...others] = song.output.result;
  const { bucket, puts } = createBucket();
  const path = new URL(first?.audio_url ?? "").pathname;
  emulator.faults.add({ path, fault: { kind: "status", status: 410, when: "before" } });
  expect((await rejection(storeSong(client, bucket, song), AudioDownloadError)).status).toBe(410);
  for (const { id } of others) expect(puts).toContain(`songs/${song.task_id}/${id}-audio`);
  expect(puts).not.toContain(`songs/${song.task_id}/song.json`);
});

test("a clip without an address is an error: the song is not complete", async () => {
  const song = await client.tasks.run(SONG_REQUEST);
  const [first, ...others] = song.output.result;
  Object.assign(first ?? {}, { audio_url: "" });
  const { bucket, puts } = createBucket();
  expect((await rejection(storeSong(client, bucket, song), InvalidOptionError)).option).toBe("source");
  for (const { id } of others) expect(puts).toContain(`songs/${song.task_id}/${id}-audio`);
  expect(puts).not.toContain(`songs/${song.task_id}/song.json`);
});

test("each clip is stored once, although the task lists its clips in another order at the second call", async () => {
  const song = await client.tasks.run(SONG_REQUEST);
  const whole = createBucket();
  await storeSong(client, whole.bucket, song);
  const { bucket, objects, settings } = createBucket(2);
  await expect(storeSong(client, bucket, song)).rejects.toThrow("killed");
  settings.failsBefore = Number.POSITIVE_INFINITY;
  song.output.result.reverse();
  for (const { key } of await storeSong(client, bucket, song))
    expect(objects.get(key)).toEqual(whole.objects.get(key));
});

test("a bucket of R2 that rejects an object ends its download", async () => {
  class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
    constructor(_size: number) {
      super();
    }
  }
  vi.stubGlobal("FixedLengthStream", FixedLengthStream);
  onTestFinished(() => void vi.unstubAllGlobals());
  const refusal = new Error("R2 responded with 500");
  const bucket = r2Bucket({ head: async () => null, put: () => Promise.reject(refusal) });
  const reasons: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({ cancel: (reason) => void reasons.push(reason) });
  const put = bucket.put("song", body, { size: 4, contentType: "audio/mpeg" });
  expect(await rejection(put, Error)).toBe(refusal);
  expect(reasons).toEqual([refusal]);
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
