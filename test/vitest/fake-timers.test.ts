import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { test } from "async-music/emulator/vitest";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";

const SONG = { model: "provider_a", task_type: "music", input: { tags: "polka" } } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("under fake timers, the clock of the fixtures", () => {
  test("skips by itself", async ({ client }) => {
    expect((await client.tasks.run(SONG)).status).toBe("success");
  });
});

describe("under fake timers, a real clock", () => {
  test.override({ emulatorOptions: { clock: "real" } });

  test("moves with the timers that are advanced", async ({ client, emulator }) => {
    const song = client.tasks.run(SONG);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect((await song).status).toBe("success");
    expect(emulator.requests.length).toBeLessThan(60);
  });

  test("moves with the timers that all run", async ({ client }) => {
    const song = client.tasks.run(SONG);
    await vi.runAllTimersAsync();
    expect((await song).status).toBe("success");
  });

  test("moves by itself where the timers do", async ({ client }) => {
    vi.setTimerTickMode("nextTimerAsync");
    expect((await client.tasks.run(SONG)).status).toBe("success");
  });

  test("keeps step with a client that has the system's", async ({ emulator }) => {
    const { url: baseUrl, apiKey, fetch } = emulator;
    const client = new AsyncMusic({ baseUrl, apiKey, fetch });
    const song = client.tasks.run(SONG);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect((await song).status).toBe("success");
  });

  test("can't go back with them", async () => {
    const { clock } = createEmulator({ clock: "real" });
    const before = clock.now();
    vi.setSystemTime(0);
    expect(clock.now()).toBeGreaterThanOrEqual(before);
  });
});
