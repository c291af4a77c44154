import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFolder } from "../support/folder.js";
import { orderOnPage } from "../support/order-page.js";

test.each(["examples/hono/main.ts", "examples/express/main.mjs"])(
  "the page of %s continues when the server is killed and started again",
  async (program) => {
    const emulator = createEmulator({ clock: "real" });
    emulator.providers.provider_a.always({ queue_seconds: 0, process_seconds: 1000 });
    const service = await serve(emulator, { port: 0 });
    onTestFinished(() => service.close());
    const cwd = await createFolder();
    const start = async (port: string) => {
      const connection = { ASYNC_MUSIC_API_KEY: emulator.apiKey, ASYNC_MUSIC_BASE_URL: service.url };
      const server = spawn(process.execPath, [resolve(program)], {
        cwd,
        env: { ...process.env, ...connection, PORT: port },
      });
      const exit = once(server, "exit");
      const kill = async () => {
        if (server.kill("SIGKILL")) await exit;
      };
      onTestFinished(kill);
      const [output] = await once(server.stdout, "data");
      return { port: String(/\d+/.exec(String(output))?.[0]), kill };
    };
    const { port, kill } = await start("0");

    const { page, bar, progress, errors } = await orderOnPage(`http://localhost:${port}`);
    await bar.waitFor();
    await emulator.clock.advance(400_000);
    await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(0.3), 60_000);
    await kill();
    await page.getByText("Waiting for the server").waitFor();
    await start(port);
    await emulator.clock.advance(300_000);
    await vi.waitFor(async () => expect(await progress()).toBeGreaterThan(0.6), 60_000);
    await page.reload();
    await emulator.clock.advance(400_000);

    const player = page.locator("audio").first();
    await player.waitFor({ timeout: 60_000 });
    const duration = () => player.evaluate((audio: HTMLAudioElement) => audio.duration);
    await vi.waitFor(async () => expect(await duration()).toBeGreaterThan(10), 60_000);
    expect(await page.locator("audio").count()).toBe(2);
    expect(errors).toEqual([]);
    expect(emulator.state().tasks).toHaveLength(1);
    expect(emulator.audit()).toEqual([]);
  },
);
