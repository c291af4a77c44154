import { describe, expect, test } from "vitest";
import { audioStore } from "../../emulator/core/audio-store.js";
import { coreOf } from "../../emulator/http/service.js";
import { clipsOf, createService, fetchBytes, type Service, VALID } from "./support/service.js";

describe("a long chain of continuations", () => {
  /** The last clip of a chain of songs, each of which continues the one before at that second. */
  async function chainOf(service: Service, links: number, continueAt?: number): Promise<string> {
    const [first] = await clipsOf(service, VALID.song, { clips: 1 });
    let end: string = first.id;
    for (let link = 1; link < links; link++) {
      const input = { continue_clip_id: end, ...(continueAt !== undefined && { continue_at: continueAt }) };
      [{ id: end }] = await clipsOf(service, { ...VALID.song, input }, { clips: 1 });
    }
    return end;
  }

  test("yields to other work while it is joined", async () => {
    const service = createService();
    const turnsDuring = async (links: number) => {
      const input = { clip_id: await chainOf(service, links, 1) };
      const [{ id }] = await clipsOf(service, { ...VALID.concat, input });
      const { index, clock } = coreOf(service.emulator);
      let isOver = false;
      const read = audioStore.read(index.clips, id, "service", clock.now()).finally(() => {
        isOver = true;
      });
      let turns = 0;
      for (; !isOver; turns++) await new Promise(setImmediate);
      await read;
      return turns;
    };
    // The first song also waits for its modules to load.
    await turnsDuring(1);
    expect(await turnsDuring(6)).toBeGreaterThanOrEqual(6);
  });

  test("is a song of its last six minutes, rendered once for concurrent reads", async () => {
    const service = createService();
    const input = { clip_id: await chainOf(service, 20) };
    const [joined] = await clipsOf(service, { ...VALID.concat, input }, { clips: 1 });
    const { bytes } = await fetchBytes(service, joined.audio_url);
    const seconds = (bytes.length - 44) / (16_000 * 2);
    expect(seconds).toBeGreaterThan(310);
    expect(seconds).toBeLessThanOrEqual(360);
    const { index, clock } = coreOf(service.emulator);
    const files = [0, 1].map(() => audioStore.read(index.clips, joined.id, "service", clock.now()));
    const [one, other] = await Promise.all(files);
    expect(one?.bytes === other?.bytes && one?.bytes.length === bytes.length).toBe(true);
  });
});
