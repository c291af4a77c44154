import { expect, test } from "vitest";
import { AudioStore } from "../../emulator/core/audio-store.js";
import { coreOf } from "../../emulator/http/service.js";
import { createService, VALID } from "./support/service.js";

test("audio is cached within the store's budget, and otherwise rendered again to the same bytes", async () => {
  const { create, read, emulator } = createService({ seed: 57 });
  const { output } = await read(await create(VALID.song, { polls: 1, clips: 1 }));
  const { index, clock } = coreOf(emulator);
  const bytesOf = async (store: AudioStore) =>
    (await store.read(index.clips, output.result[0].id, "service", clock.now()))?.bytes ?? new Uint8Array();

  const [roomy, narrow] = [new AudioStore(), new AudioStore(1)];
  const cached = await bytesOf(roomy);
  expect((await bytesOf(roomy)) === cached).toBe(true);
  const [first, second] = [await bytesOf(narrow), await bytesOf(narrow)];
  expect(first === second).toBe(false);
  expect(Buffer.compare(first, second)).toBe(0);
});

test("the same seed gives the same audio in another emulator, and another seed gives other audio", async () => {
  const songOf = async (seed: number) => {
    const { create, read, emulator } = createService({ seed });
    const { output } = await read(await create(VALID.song, { polls: 1, clips: 1 }));
    const { index, clock, audio } = coreOf(emulator);
    const file = await audio.read(index.clips, output.result[0].id, "service", clock.now());
    return file?.bytes ?? new Uint8Array();
  };
  const song = await songOf(58);
  expect(Buffer.compare(await songOf(58), song)).toBe(0);
  expect(Buffer.compare(await songOf(59), song)).not.toBe(0);
});
