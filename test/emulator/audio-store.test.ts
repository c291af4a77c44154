import { expect, test } from "vitest";
import { AudioStore } from "../../emulator/core/delivery/audio-store.js";
import { createSongs } from "../../emulator/core/delivery/songs.js";
import { coreOf } from "../../emulator/http/service.js";
import { createService, VALID } from "./support/service.js";

test("audio that was made is kept while there is room, and is made again, the same, where there was none", async () => {
  const { create, read, emulator } = createService({ seed: 57 });
  const { output } = await read(await create(VALID.song, { polls: 1, clips: 1 }));
  const { index, clock } = coreOf(emulator);
  const bytesOf = async (store: AudioStore) =>
    (await store.read(index.clips, output.result[0].id, "service", clock.now()))?.bytes ?? new Uint8Array();

  const [roomy, narrow] = [new AudioStore(), new AudioStore(1, createSongs(0))];
  const kept = await bytesOf(roomy);
  expect((await bytesOf(roomy)) === kept).toBe(true);
  const [first, second] = [await bytesOf(narrow), await bytesOf(narrow)];
  expect(first === second).toBe(false);
  expect(Buffer.compare(first, second)).toBe(0);
});

test("a song is composed once for all emulators of a process, and for each format and text anew", async () => {
  const songOf = async (seed: number, body: object = VALID.song) => {
    const { create, read, emulator } = createService({ seed });
    const { output } = await read(await create(body, { polls: 1, clips: 1 }));
    const { index, clock, audio } = coreOf(emulator);
    return (await audio.read(index.clips, output.result[0].id, "service", clock.now()))?.bytes;
  };
  const song = await songOf(58);
  expect((await songOf(58)) === song).toBe(true);
  for (const other of [songOf(59), songOf(58, { ...VALID.song, audio_format: "mp3" })])
    expect(Buffer.compare((await other) ?? new Uint8Array(), song ?? new Uint8Array())).not.toBe(0);
});
