import { createEmulator, type Emulator } from "async-music/emulator";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createService, VALID } from "./support/service.js";

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3_600_000;

afterEach(() => vi.useRealTimers());

describe("the virtual clock", () => {
  test("is at once when the only sleeper wanted to wake", async () => {
    const { clock } = createEmulator();
    await clock.sleep(3_600_000);
    expect(clock.now()).toBe(START + 3_600_000);
  });

  test("wakes sleepers in the order of their times, and of their coming where those are the same", async () => {
    const { clock } = createEmulator();
    const woken: string[] = [];
    const sleeps = [
      [30, "c"],
      [10, "a"],
      [20, "b1"],
      [20, "b2"],
    ] as const;
    await Promise.all(
      sleeps.map(async ([ms, name]) => {
        await clock.sleep(ms);
        woken.push(`${name} at ${clock.now() - START}`);
      }),
    );
    expect(woken).toEqual(["a at 10", "b1 at 20", "b2 at 20", "c at 30"]);
  });

  test("does not run ahead of a party that has still something to do at a time", async () => {
    const { clock } = createEmulator();
    const steps: number[] = [];
    const walk = async (ms: number, times: number) => {
      for (let step = 0; step < times; step++) {
        await clock.sleep(ms);
        steps.push(clock.now() - START);
      }
    };
    await Promise.all([walk(10, 5), walk(25, 2)]);
    expect(steps).toEqual([10, 20, 25, 30, 40, 50, 50]);
  });

  test("wakes nobody too early, whatever fraction they sleep", async () => {
    const { clock } = createEmulator();
    await clock.sleep(0.1);
    expect(clock.now()).toBe(START + 1);
    await clock.sleep(-5);
    expect(clock.now()).toBe(START + 1);
  });

  test("never comes to a time that no date has: who sleeps until then sleeps for ever", async () => {
    const { emulator, get } = createService();
    const { clock } = emulator;
    for (const ms of [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
      void clock.sleep(ms).then(() => expect.unreachable());
    }
    await clock.sleep(1_000);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(clock.now()).toBe(START + 1_000);
    expect((await get("/api/v1/account/balance")).status).toBe(200);
  });

  test("lets an aborted sleep reject with the reason, and does not wake up for it", async () => {
    const { clock } = createEmulator();
    const controller = new AbortController();
    const sleep = clock.sleep(5_000, controller.signal);
    controller.abort(new Error("changed my mind"));
    await expect(sleep).rejects.toThrow("changed my mind");
    await clock.sleep(10_000);
    expect(clock.now()).toBe(START + 10_000);
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow("changed my mind");
    await expect(clock.sleep(1, AbortSignal.abort("at once"))).rejects.toBe("at once");
  });

  test("advances past sleepers, each of whom sees the time for which it asked", async () => {
    const { clock } = createEmulator();
    const seen: number[] = [];
    void clock.sleep(1_000).then(() => seen.push(clock.now() - START));
    void clock.sleep(2_000).then(async () => {
      seen.push(clock.now() - START);
      await clock.sleep(500);
      seen.push(clock.now() - START);
    });
    await clock.advance(10_000);
    expect(seen).toEqual([1_000, 2_000, 2_500]);
    expect(clock.now()).toBe(START + 10_000);
  });

  test("is advanced at once where nobody sleeps, and by the sum of what overlaps", async () => {
    const { clock } = createEmulator();
    void clock.advance(1_000);
    expect(clock.now()).toBe(START + 1_000);
    void clock.sleep(500);
    await Promise.all([clock.advance(1_000), clock.advance(2_000)]);
    expect(clock.now()).toBe(START + 4_000);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("can't be advanced by %d", async (ms) => {
    const { clock } = createEmulator();
    await expect(clock.advance(ms)).rejects.toThrow(RangeError);
    expect(clock.now()).toBe(START);
  });

  test("keeps fifty thousand sleepers in order", async () => {
    const { clock } = createEmulator();
    let latest = 0;
    let isOrdered = true;
    await Promise.all(
      Array.from({ length: 50_000 }, async (_, index) => {
        const ms = (index * 7919) % 997;
        await clock.sleep(ms);
        isOrdered &&= clock.now() - START === ms && ms >= latest;
        latest = ms;
      }),
    );
    expect(isOrdered).toBe(true);
  });

  test("skips under a test runner's fake timers", async () => {
    vi.useFakeTimers();
    const { clock } = createEmulator();
    await clock.sleep(60_000);
    await clock.advance(60_000);
    expect(clock.now()).toBe(START + 120_000);
  });

  test("does not skip while an exchange is under way", async () => {
    const { emulator } = createService();
    const { clock } = emulator;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(new TextEncoder().encode(JSON.stringify(VALID.song)));
        controller.close();
      },
    });
    const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" };
    const posted = emulator.fetch(`${emulator.url}/api/v1/task`, init as RequestInit);
    const slept = clock.sleep(1_000);
    expect((await (await posted).json()).data.created_at).toBe("2026-01-01T00:00:00.000Z");
    await slept;
  });
});

test("time moves again when a caller has given up in the middle of its body, which is then left", async () => {
  const { emulator, get } = createService();
  const cancel = vi.fn();
  const leaving = new AbortController();
  const init = {
    method: "POST",
    body: new ReadableStream({ cancel }),
    duplex: "half",
    signal: leaving.signal,
  };
  const left = emulator.fetch(`${emulator.url}/api/v1/task`, init as RequestInit);
  const asleep = emulator.clock.sleep(1_000);
  leaving.abort();
  await expect(left).rejects.toBe(leaving.signal.reason);
  await asleep;
  expect(cancel).toHaveBeenCalledExactlyOnceWith(leaving.signal.reason);
  expect((await get("/api/v1/account/usage")).body.data.tasks_created).toBe(0);
});

describe.each(["virtual", "real"] as const)(
  "the %s clock of an emulator that goes to another state",
  (mode) => {
    test("lets sleepers sleep for as long as was left, whatever time it is now", async () => {
      vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout", "clearTimeout"] });
      const emulator = createEmulator({ clock: mode });
      const { clock } = emulator;
      const early = emulator.snapshot();
      await clock.advance(7_200_000);
      const woken: number[] = [];
      const sleep = (ms: number) => void clock.sleep(ms).then(() => woken.push(clock.now() - START));
      sleep(5_000);
      emulator.restore(early);
      sleep(4_000);
      await clock.advance(4_999);
      expect(woken).toEqual([4_000]);
      await clock.advance(1);
      expect(woken).toEqual([4_000, 5_000]);
    });

    test("ends an advance that was meant for the earlier one", async () => {
      vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout", "clearTimeout"] });
      const emulator = createEmulator({ clock: mode });
      const { clock } = emulator;
      void clock.sleep(60_000).then(() => emulator.reset());
      await Promise.all([clock.advance(3_600_000), clock.advance(1_000)]);
      expect(clock.now()).toBe(START);
    });
  },
);

describe.each(["virtual", "real"] as const)("the %s clock of an emulator that was disposed of", (mode) => {
  test("wakes nobody: who sleeps is told so, and so is who would sleep", async () => {
    const emulator = createEmulator({ clock: mode });
    emulator.faults.add({ fault: { kind: "latency", ms: 3_600_000 } });
    const asleep = emulator.clock.sleep(3_600_000);
    const advanced = emulator.clock.advance(1_000);
    await emulator[Symbol.asyncDispose]();
    await expect(asleep).rejects.toThrow("The emulator was disposed");
    await expect(emulator.clock.sleep(1)).rejects.toThrow("The emulator was disposed");
    await advanced;
    await expect(emulator.fetch(emulator.url)).rejects.toThrow(TypeError);
  });

  test("does not wait for an exchange whose body never ends, which ends as on a broken connection", async () => {
    const emulator = createEmulator({ clock: mode });
    const body = new ReadableStream();
    const init = { method: "POST", body, duplex: "half" };
    const endless = emulator.fetch(`${emulator.url}/api/v1/task`, init as RequestInit);
    const advanced = emulator.clock.advance(1_000);
    await emulator[Symbol.asyncDispose]();
    await expect(endless).rejects.toThrow(TypeError);
    await advanced;
  });
});

describe("the real clock", () => {
  test("ticks with the wall, and can be ahead of it", async () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const { clock } = createEmulator({ clock: "real" });
    expect(clock.now()).toBe(1_000_000);
    vi.setSystemTime(1_000_500);
    expect(clock.now()).toBe(1_000_500);
    await clock.advance(60_000);
    expect(clock.now()).toBe(1_060_500);
    vi.setSystemTime(1_001_500);
    expect(clock.now()).toBe(1_061_500);
  });

  test("never goes back, even where the wall does", () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const { clock } = createEmulator({ clock: "real" });
    expect(clock.now()).toBe(1_000_000);
    vi.setSystemTime(500_000);
    expect(clock.now()).toBe(1_000_000);
  });

  test("goes on from where it was after the wall was set back, also for who sleeps", async () => {
    vi.useFakeTimers({ now: 10_000_000 });
    const { clock } = createEmulator({ clock: "real" });
    const woken: number[] = [];
    void clock.sleep(30_000).then(() => woken.push(clock.now()));
    vi.setSystemTime(1_000_000);
    expect(clock.now()).toBe(10_000_000);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(clock.now()).toBe(10_029_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(woken).toEqual([10_030_000]);
    await clock.advance(60_000);
    expect(clock.now()).toBe(10_091_000);
  });

  test.each<[string, (clock: Emulator["clock"], ms: number) => Promise<unknown>]>([
    ["by the runner's fake timers", (_, ms) => vi.advanceTimersByTimeAsync(ms)],
    ["when it is advanced", (clock, ms) => clock.advance(ms)],
  ])("wakes sleepers %s, each at its own time", async (_, pass) => {
    vi.useFakeTimers({ now: 1_000_000 });
    const { clock } = createEmulator({ clock: "real" });
    const woken: number[] = [];
    for (const ms of [30_000, 10_000]) void clock.sleep(ms).then(() => woken.push(clock.now()));
    await pass(clock, 9_999);
    expect(woken).toEqual([]);
    await pass(clock, 25_000);
    expect(woken).toEqual([1_010_000, 1_030_000]);
  });

  test("sets no timer for longer than a runtime can, and still sleeps for sixty days", async () => {
    vi.useFakeTimers();
    const { clock } = createEmulator({ clock: "real" });
    const began = clock.now();
    const slept = clock.sleep(60 * DAY_MS).then(() => clock.now() - began);
    // A runtime fires a timer of 2 ** 31 ms or more after 1 ms.
    await vi.advanceTimersToNextTimerAsync();
    expect(clock.now() - began).toBeGreaterThan(DAY_MS);
    await vi.advanceTimersByTimeAsync(60 * DAY_MS);
    expect(await slept).toBe(60 * DAY_MS);
  });

  test("lets go of an aborted sleep, and of the timer that was set for it", async () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const { clock } = createEmulator({ clock: "real" });
    const controller = new AbortController();
    const sleep = clock.sleep(5_000, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(new Error("no"));
    await expect(sleep).rejects.toThrow("no");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is the service's time", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 5, 1) });
    const { create, read, emulator } = createService({ clock: "real" });
    const taskId = await create(VALID.song, { process_seconds: 40 });
    vi.setSystemTime(Date.UTC(2030, 5, 1) + 39_999);
    expect((await read(taskId)).status).toBe("running");
    await emulator.clock.advance(1);
    expect(await read(taskId)).toMatchObject({ status: "success", completed_at: "2030-06-01T00:00:40.000Z" });
  });
});
