import { createEmulator, type Emulator } from "async-music/emulator";
import { describe, expect, test, vi } from "vitest";
import { serviceOf, TASK, VALID } from "./service.js";

export function describeMswAdapter(name: string, listen: (emulator: Emulator) => void): void {
  const connect = (url?: string) => {
    const emulator = createEmulator({ credits: 100, url });
    listen(emulator);
    return serviceOf(emulator, { fetch: globalThis.fetch });
  };

  describe(name, () => {
    test("serves every URL that the emulator returns: audio, cover art, and files of a provider", async () => {
      const { create, read } = connect();
      const [clip] = (await read(await create(VALID.song, { polls: 1, storable: false }))).output.result;
      const [stored] = (await read(await create(VALID.upload, { polls: 1 }))).output.result;
      for (const url of [clip.audio_url, stored.audio_url, clip.image_url]) {
        const response = await fetch(url);
        expect(response.status).toBe(200);
        const { byteLength } = await response.arrayBuffer();
        expect(String(byteLength)).toBe(response.headers.get("Content-Length"));
      }
      const head = await fetch(stored.audio_url, { method: "HEAD" });
      expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "audio/wav"]);
    });

    test("serves a hard-coded address, and no other path of its host", async () => {
      const { emulator, create, read } = connect("https://api.example.com/music");
      const headers = { "x-api-key": emulator.apiKey };
      const balance = await fetch("https://api.example.com/music/api/v1/account/balance", { headers });
      expect((await balance.json()).data).toEqual({ available: 100, frozen: 0, total: 100 });
      const [clip] = (await read(await create(VALID.song, { polls: 1 }))).output.result;
      expect(clip.audio_url).toBe(`https://api.example.com/music/audio/${clip.id}`);
      for (const url of [clip.audio_url, clip.image_url]) expect((await fetch(url)).status).toBe(200);
      const before = emulator.requests.length;
      vi.spyOn(console, "error").mockImplementation(() => {});
      for (const other of [
        "https://api.example.com/api/v1/account/balance",
        "https://api.example.com/musical/x",
      ])
        await fetch(other).catch(() => {});
      vi.restoreAllMocks();
      expect(emulator.requests).toHaveLength(before);
    });

    test("does not let time skip while requests are in flight", async () => {
      const { emulator, create, read } = connect();
      const taskId = await create(VALID.song, { process_seconds: 47 });
      let polls = 0;
      for (;;) {
        await emulator.clock.sleep(5_000);
        polls++;
        if ((await read(taskId)).status === "success") break;
      }
      expect(polls).toBe(10);
      expect(
        emulator.requests
          .filter(({ path }) => path === `${TASK}/${taskId}`)
          .map(({ at }) => at.slice(17, 19)),
      ).toEqual(["05", "10", "15", "20", "25", "30", "35", "40", "45", "50"]);
    });
  });
}
