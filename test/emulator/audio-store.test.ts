import { expect, test } from "vitest";
import { AudioStore } from "../../emulator/core/audio-store.js";
import { coreOf } from "../../emulator/http/service.js";
import { clipsOf, createService, type Service, VALID } from "./support/service.js";

test("audio is cached within the store's budget, and otherwise rendered again to the same bytes", async () => {
  const service = createService({ seed: 57 });
  const [clip] = await clipsOf(service, VALID.song, { clips: 1 });
  const { index, clock } = coreOf(service.emulator);
  const bytesOf = async (store: AudioStore) =>
    (await store.read(index.clips, clip.id, "service", clock.now()))?.bytes ?? new Uint8Array();

  const [roomy, narrow] = [new AudioStore(), new AudioStore(1)];
  const cached = await bytesOf(roomy);
  expect((await bytesOf(roomy)) === cached).toBe(true);
  const [first, second] = [await bytesOf(narrow), await bytesOf(narrow)];
  expect(first === second).toBe(false);
  expect(Buffer.compare(first, second)).toBe(0);
});

test("the same seed gives the same audio in another emulator, and another seed gives other audio", async () => {
  const songOf = async (seed: number) => {
    const service = createService({ seed });
    const [clip] = await clipsOf(service, VALID.song, { clips: 1 });
    const { index, clock } = coreOf(service.emulator);
    const file = await new AudioStore().read(index.clips, clip.id, "service", clock.now());
    return Buffer.from(file?.bytes ?? []);
  };
  const song = await songOf(58);
  expect(song.length).toBeGreaterThan(100_000);
  expect((await songOf(58)).equals(song)).toBe(true);
  expect((await songOf(59)).equals(song)).toBe(false);
});

test("clips of several emulators that sound alike are rendered once, whatever their IDs are", async () => {
  const store = new AudioStore();
  const read = async ({ emulator }: Service, clipId: string) => {
    const { index, clock } = coreOf(emulator);
    return (await store.read(index.clips, clipId, "service", clock.now()))?.bytes;
  };
  const services = [createService({ seed: 58 }), createService({ seed: 58 })] as const;
  const clips = await Promise.all(services.map((service) => clipsOf(service, VALID.song, { clips: 2 })));
  const [[first, second], [alike]] = clips as [[{ id: string }, { id: string }], [{ id: string }]];
  const bytes = await read(services[0], first.id);
  expect((await read(services[1], alike.id)) === bytes).toBe(true);
  expect((await read(services[0], second.id)) === bytes).toBe(false);
});
