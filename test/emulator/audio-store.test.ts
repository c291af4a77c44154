import { expect, test } from "vitest";
import { AudioStore } from "../../emulator/delivery/audio-store.js";
import { worldOf } from "../../emulator/mounts/mounted-world.js";
import { createService, VALID } from "./support/service.js";

test("audio that was made is kept while there is room, and is made again, the same, where there was none", async () => {
  const { create, read, emulator } = createService({ seed: 57 });
  const { output } = await read(await create(VALID.song, { polls: 1, clips: 1 }));
  const { index, clock } = worldOf(emulator);
  const bytesOf = async (store: AudioStore) =>
    (await store.read(index.clips, output.result[0].id, "service", clock.now()))?.bytes ?? new Uint8Array();

  const [roomy, narrow] = [new AudioStore(), new AudioStore(1)];
  const kept = await bytesOf(roomy);
  expect((await bytesOf(roomy)) === kept).toBe(true);
  const [first, second] = [await bytesOf(narrow), await bytesOf(narrow)];
  expect(first === second).toBe(false);
  expect(Buffer.compare(first, second)).toBe(0);
});
