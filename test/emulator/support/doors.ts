import type { Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { serve } from "async-music/emulator/node";
import { setupServer } from "msw/node";
import { onTestFinished } from "vitest";

type Door = (emulator: Emulator) => Promise<{ fetch: typeof globalThis.fetch; url: string }>;

/** Each way to reach an emulator until the end of a test: its `fetch`, and the base URL. */
export const DOORS: Record<string, Door> = {
  "the emulator's fetch": async ({ fetch, url }) => ({ fetch, url }),
  async MSW(emulator) {
    const server = setupServer(...emulatorHandlers(emulator));
    server.listen();
    onTestFinished(() => server.close());
    return { fetch: (...args) => globalThis.fetch(...args), url: emulator.url };
  },
  async "a port"(emulator) {
    const { url, close } = await serve(emulator);
    onTestFinished(close);
    return { fetch: globalThis.fetch, url };
  },
};
