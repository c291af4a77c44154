import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { explore } from "async-music/emulator/worlds";
import { afterEach, describe, expect, test, vi } from "vitest";

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
const SONG = { model: "provider_b", task_type: "music", input: { prompt: "slow" } } as const;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("with another global Promise, as of zone.js, files are sent and faults delay", async () => {
  vi.stubGlobal("Promise", class ZoneAwarePromise<Value> extends Promise<Value> {});
  const emulator = createEmulator({ credits: 100 });
  const client = new AsyncMusic(emulator.connection());
  const [clip] = (await client.tasks.run(SONG)).output.result;
  const audio = await client.audio.download(clip ?? "");
  expect((await audio.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  emulator.faults.add({ method: "GET", fault: { kind: "latency", ms: 500 } });
  expect((await client.account.balance()).total).toBe(95);
});

test("with another global Uint8Array, as of jsdom, an emulator on a port reads bodies", async () => {
  vi.stubGlobal("Uint8Array", class Uint8ArrayOfJsdom extends Uint8Array {});
  await using emulator = createEmulator({ credits: 100, clock: "real" });
  await using server = await serve(emulator);
  const client = new AsyncMusic({ baseUrl: server.url, apiKey: emulator.apiKey });
  expect((await client.tasks.create(LYRICS)).credits_charged).toBe(5);
});

test("without a global ReadableStream, as in some imitated browsers, nothing is sent", async () => {
  vi.stubGlobal("ReadableStream", undefined);
  const emulator = createEmulator({ credits: 100 });
  const client = new AsyncMusic(emulator.connection());
  await expect(client.tasks.create(LYRICS)).rejects.toThrow("nothing was sent");
  expect(emulator.requests).toEqual([]);
});

test("explorations that overlap are refused, and leave the timers of the process as they were", async () => {
  const { setTimeout: before, Date: dateBefore } = globalThis;
  const app = { start: async () => {} };
  const names = await Promise.all(
    [1, 2].map((seed) =>
      explore(app, { seed, count: 1 }).catch((error: Error) => error.message.split(".")[0]),
    ),
  );
  expect(names).toContain("Another world runs in this process");
  expect([globalThis.setTimeout, globalThis.Date]).toEqual([before, dateBefore]);
});

const FAKE = ["setTimeout", "setImmediate", "setInterval", "Date", "performance"] as const;

describe.each([["all of them", FAKE] as const, ...FAKE.map((name) => [name, [name]] as const)])(
  "fake timers: %s",
  (_, toFake) => {
    test("an emulator that is imported after them skips idle time", async () => {
      vi.useFakeTimers({ toFake: [...toFake] });
      vi.resetModules();
      const { createEmulator: createLater } = await import("async-music/emulator");
      const client = new AsyncMusic(createLater({ credits: 100 }).connection());
      expect((await client.tasks.run(LYRICS)).status).toBe("success");
    });

    test("worlds are explored", async () => {
      vi.useFakeTimers({ toFake: [...toFake] });
      expect(
        await explore({ start: async () => {} }, { count: 1, orders: 1 }).catch((error) => error.name),
      ).toBe("BrokenWorldError");
    });
  },
);
