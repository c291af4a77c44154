import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { fileJournal, saveAudio } from "async-music/node";

/* global afterEach, beforeEach, expect, test -- of the runner */

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } };
const SONG = { model: "provider_b", task_type: "music", input: { prompt: "slow" } };

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "realm-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("the errors of Node are of another realm", async () => {
  const error = await readdir(join(folder, "missing")).catch((thrown) => thrown);
  expect(error.code).toBe("ENOENT");
  expect(error instanceof Error).toBe(false);
});

test("a journal keeps its orders, and frees those that were refused", async () => {
  const emulator = createEmulator({ seed: 1, credits: 100 });
  const client = new AsyncMusic(emulator.connection());
  const journal = fileJournal(join(folder, "not/there/yet"));
  const first = await client.tasks.run(LYRICS, { journal, journalKey: "rain" });
  const second = await client.tasks.run(LYRICS, { journal, journalKey: "rain" });
  expect(second.task_id).toBe(first.task_id);
  emulator.faults.add({ method: "POST", fault: { kind: "status", status: 402, when: "before" } });
  const refused = client.tasks.run(LYRICS, { journal, journalKey: "sun" });
  await expect(refused).rejects.toMatchObject({ name: "InsufficientCreditsError" });
  expect(await journal.get("sun")).toBeNull();
});

test("audio is saved, and an existing file is kept", async () => {
  const client = new AsyncMusic(createEmulator({ seed: 1, credits: 100 }).connection());
  const { output } = await client.tasks.run(SONG);
  const save = async (options) =>
    saveAudio(await client.audio.download(output.result[0]), join(folder, "songs/one"), options);
  for (let count = 0; count < 2; count++) await save({ unique: true });
  await expect(save({})).rejects.toMatchObject({ name: "AudioDownloadError" });
  expect(await readdir(join(folder, "songs"))).toHaveLength(2);
});

test("a refused connection has sent nothing", async () => {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  const client = new AsyncMusic({
    apiKey: "emu_refused",
    baseUrl: `http://127.0.0.1:${port}`,
    maxRetries: 0,
  });
  const error = await client.tasks.create(LYRICS).catch((thrown) => thrown);
  expect([error.name, error.message]).toEqual(["ConnectionError", expect.stringContaining("(ECONNREFUSED)")]);
  expect(error.cause).toMatchObject({ message: "fetch failed" });
});

test("the emulator on a port serves a song, and an abort is the user's", async () => {
  const emulator = createEmulator({ seed: 1, credits: 100, clock: "real" });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  const server = await serve(emulator);
  const client = new AsyncMusic({ apiKey: emulator.connection().apiKey, baseUrl: server.url });
  expect((await client.tasks.run(LYRICS, { pollIntervalMs: 1000 })).status).toBe("success");
  const stop = new AbortController();
  const reason = new Error("The user left.");
  const waiting = client.tasks.wait(await client.tasks.create(LYRICS), { signal: stop.signal });
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await server.close();
});
