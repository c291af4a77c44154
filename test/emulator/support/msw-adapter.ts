import { createEmulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { clipsOf, serviceOf, TASK, VALID } from "./service.js";

/** Tests the handlers with a version of MSW, whose server `listen` starts. */
export function describeMswAdapter(
  name: string,
  listen: (...handlers: ReturnType<typeof emulatorHandlers>) => { close(): void },
): void {
  const connect = (url?: string) => {
    const emulator = createEmulator({ credits: 100, url });
    const server = listen(...emulatorHandlers(emulator));
    onTestFinished(() => server.close());
    return serviceOf(emulator, { fetch: globalThis.fetch });
  };

  describe(name, () => {
    test("serves every URL that the emulator returns: audio, cover art, and files of a provider", async () => {
      const service = connect();
      const [clip] = await clipsOf(service, VALID.song, { storable: false });
      const [stored] = await clipsOf(service, VALID.upload);
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
      const service = connect("https://api.example.com/music");
      const { emulator } = service;
      expect(await service.balance()).toEqual({ available: 100, frozen: 0, total: 100 });
      const [clip] = await clipsOf(service);
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
      do await emulator.clock.sleep(5_000);
      while ((await read(taskId)).status !== "success");
      const reads = emulator.requests.filter(({ path }) => path === `${TASK}/${taskId}`);
      const seconds = ["05", "10", "15", "20", "25", "30", "35", "40", "45", "50"];
      expect(reads.map(({ at }) => at.slice(17, 19))).toEqual(seconds);
    });
  });
}
