import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { type SetupServer, setupServer } from "msw/node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { order } from "./jukebox.js";

let emulator: Emulator;
let server: SetupServer;

beforeEach(() => {
  emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_b.always({ process_seconds: 1 });
  server = setupServer(...emulatorHandlers(emulator));
  server.listen();
  vi.stubEnv("ASYNC_MUSIC_BASE_URL", emulator.url);
  vi.stubEnv("ASYNC_MUSIC_API_KEY", emulator.apiKey);
  // The application sleeps on the system's timers, which the test advances.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  server.close();
  expect(emulator.audit()).toEqual([]);
});

test("a song has a title and an address", async () => {
  expect(await inNoTime(order("calm"))).toEqual({
    title: expect.any(String),
    url: expect.stringContaining(emulator.url),
  });
});

test("an order with an unknown outcome is not sent again", async () => {
  emulator.faults.add({ method: "POST", fault: { kind: "disconnect", when: "after" } });
  await expect(inNoTime(order("calm"))).rejects.toThrow("outcome");
  expect(emulator.state().tasks).toHaveLength(1);
});

/** Advances fake time in small steps until the promise settles, so that requests can complete. */
async function inNoTime<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const ending = work.finally(() => {
    isOver = true;
  });
  ending.catch(() => {});
  while (!isOver) await vi.advanceTimersByTimeAsync(100);
  return ending;
}
