import { AsyncMusic } from "async-music";
import { test } from "async-music/emulator/vitest";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { SONG } from "./poll-twice.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("under fake timers, the clock of the fixtures", () => {
  test("skips idle time", async ({ client }) => {
    expect((await client.tasks.run(SONG)).status).toBe("success");
  });
});

describe("under fake timers, a real clock", () => {
  test.override({ emulatorOptions: { clock: "real" } });

  test("advances with `advanceTimersByTimeAsync`", async ({ client, emulator }) => {
    const song = client.tasks.run(SONG);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect((await song).status).toBe("success");
    expect(emulator.requests.length).toBeLessThan(60);
  });

  test("advances with `runAllTimersAsync`", async ({ client }) => {
    const song = client.tasks.run(SONG);
    await vi.runAllTimersAsync();
    expect((await song).status).toBe("success");
  });

  test("advances with the tick mode `nextTimerAsync`", async ({ client }) => {
    vi.setTimerTickMode("nextTimerAsync");
    expect((await client.tasks.run(SONG)).status).toBe("success");
  });

  test("agrees with a client on the system clock", async ({ emulator }) => {
    const { url: baseUrl, apiKey, fetch } = emulator;
    const client = new AsyncMusic({ baseUrl, apiKey, fetch });
    const song = client.tasks.run(SONG);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect((await song).status).toBe("success");
  });
});
