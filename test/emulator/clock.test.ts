import { AsyncMusic } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { emulatorHandlers } from "async-music/emulator/msw";
import { afterEach, describe, expect, test, vi } from "vitest";
import { BALANCE, createService, postOf, TASK, USAGE, VALID } from "./support/service.js";

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MODES = ["virtual", "real"] as const;

afterEach(() => vi.useRealTimers());

/** An emulator at the start of a system time that only a test moves. */
function openAtStart(clock: (typeof MODES)[number]) {
  vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout", "clearTimeout"] });
  return createEmulator({ clock });
}

describe("the virtual clock", () => {
  test("wakes sleepers in the order of their times, and equal times in the order of the calls", async () => {
    const { clock } = createEmulator();
    const woken: string[] = [];
    const sleep = async (ms: number, name: string) => {
      await clock.sleep(ms);
      woken.push(`${name} at ${clock.now() - START}`);
    };
    await Promise.all([sleep(30, "c"), sleep(10, "a"), sleep(20, "b1"), sleep(20, "b2")]);
    expect(woken).toEqual(["a at 10", "b1 at 20", "b2 at 20", "c at 30"]);
  });

  test("waits for each of several loops that sleep in turn", async () => {
    const { clock } = createEmulator();
    const steps: number[] = [];
    const loop = async (ms: number, times: number) => {
      for (let step = 0; step < times; step++) {
        await clock.sleep(ms);
        steps.push(clock.now() - START);
      }
    };
    await Promise.all([loop(10, 5), loop(25, 2)]);
    expect(steps).toEqual([10, 20, 25, 30, 40, 50, 50]);
  });

  test("rounds a fraction of a millisecond up, and a negative sleep to zero", async () => {
    const { clock } = createEmulator();
    await clock.sleep(0.1);
    expect(clock.now()).toBe(START + 1);
    await clock.sleep(-5);
    expect(clock.now()).toBe(START + 1);
  });

  test("never wakes a sleeper whose time is beyond the range of dates", async () => {
    const { emulator, get } = createService();
    const { clock } = emulator;
    for (const ms of [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.POSITIVE_INFINITY])
      void clock.sleep(ms).then(() => expect.unreachable());
    await clock.sleep(1_000);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(clock.now()).toBe(START + 1_000);
    expect((await get(BALANCE)).status).toBe(200);
  });

  test("rejects an aborted sleep with the reason, and does not skip to its time", async () => {
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

  test("advances step by step, so that each sleeper wakes at its own time", async () => {
    const { clock } = createEmulator();
    const seen: number[] = [];
    const note = () => void seen.push(clock.now() - START);
    void clock.sleep(1_000).then(note);
    void clock.sleep(2_000).then(async () => {
      note();
      await clock.sleep(500);
      note();
    });
    await clock.advance(10_000);
    expect(seen).toEqual([1_000, 2_000, 2_500]);
    expect(clock.now()).toBe(START + 10_000);
  });

  test("advances by the sum of concurrent calls, with and without sleepers", async () => {
    const { clock } = createEmulator();
    await Promise.all([clock.advance(500), clock.advance(500)]);
    expect(clock.now()).toBe(START + 1_000);
    void clock.sleep(500);
    await Promise.all([clock.advance(1_000), clock.advance(2_000)]);
    expect(clock.now()).toBe(START + 4_000);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "20", undefined])(
    "cannot be advanced by %j",
    async (ms) => {
      const { clock } = createEmulator();
      await expect(clock.advance(ms as number)).rejects.toThrow(RangeError);
      expect(clock.now()).toBe(START);
    },
  );

  test.each([Number.NaN, "20", undefined])("refuses a sleep of %j", async (ms) => {
    const { clock } = createEmulator();
    await expect(clock.sleep(ms as number)).rejects.toThrow(RangeError);
    await clock.sleep(1_000);
    expect(clock.now()).toBe(START + 1_000);
  });

  test("wakes ten thousand sleepers in order", async () => {
    const { clock } = createEmulator();
    let latest = 0;
    let isOrdered = true;
    const sleep = async (_: unknown, index: number) => {
      const ms = (index * 7919) % 997;
      await clock.sleep(ms);
      isOrdered &&= clock.now() - START === ms && ms >= latest;
      latest = ms;
    };
    await Promise.all(Array.from({ length: 10_000 }, sleep));
    expect(isOrdered).toBe(true);
  });

  test("skips under a test runner's fake timers", async () => {
    vi.useFakeTimers();
    const { clock } = createEmulator();
    await clock.sleep(60_000);
    await clock.advance(60_000);
    expect(clock.now()).toBe(START + 120_000);
  });

  test("does not skip while a request is in flight", async () => {
    const service = createService();
    const { clock, fetch, url } = service.emulator;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(new TextEncoder().encode(JSON.stringify(VALID.song)));
        controller.close();
      },
    });
    const posted = fetch(url + TASK, { ...postOf(service, null, { body }), duplex: "half" } as RequestInit);
    const slept = clock.sleep(1_000);
    expect((await (await posted).json()).data.created_at).toBe("2026-01-01T00:00:00.000Z");
    await slept;
  });

  test("skips again after a request was aborted while its body was read, and the body is canceled", async () => {
    const { emulator, get } = createService();
    const cancel = vi.fn();
    const controller = new AbortController();
    const body = new ReadableStream({ cancel });
    const init = { method: "POST", body, duplex: "half", signal: controller.signal };
    const aborted = emulator.fetch(emulator.url + TASK, init as RequestInit);
    const asleep = emulator.clock.sleep(1_000);
    controller.abort();
    await expect(aborted).rejects.toBe(controller.signal.reason);
    await asleep;
    expect(cancel).toHaveBeenCalledExactlyOnceWith(controller.signal.reason);
    expect((await get(USAGE)).body.data.tasks_created).toBe(0);
  });
});

describe.each(MODES)("an `advance` of the %s clock, for code that is running", (mode) => {
  test.each([0, 1, 30])("lets it reach its sleep first, after %i microtasks", async (microtasks) => {
    const { clock } = openAtStart(mode);
    const woken: number[] = [];
    const run = async () => {
      for (let each = 0; each < microtasks; each++) await null;
      await clock.sleep(10_000);
      woken.push(clock.now() - START);
    };
    void run();
    await clock.advance(60_000);
    expect([woken, clock.now() - START]).toEqual([[10_000], 60_000]);
  });

  test("waits for no pause between requests that may be on the network", () => {
    const emulator = openAtStart(mode);
    emulatorHandlers(emulator);
    void emulator.clock.advance(1_000);
    expect(emulator.clock.now()).toBe(START + 1_000);
  });

  test("lets a new client send its request first", async () => {
    const emulator = openAtStart(mode);
    const sent = new AsyncMusic(emulator.connection()).tasks.create(VALID.song);
    await emulator.clock.advance(60_000);
    expect(emulator.requests).toMatchObject([{ at: "2026-01-01T00:00:00.000Z" }]);
    await sent;
  });
});

describe.each(MODES)("the %s clock after a reset or a restored snapshot", (mode) => {
  test("lets sleepers sleep for the rest of their time", async () => {
    const emulator = openAtStart(mode);
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

  test("ends an `advance` that began before it", async () => {
    const emulator = openAtStart(mode);
    const { clock } = emulator;
    void clock.sleep(60_000).then(() => emulator.reset());
    await Promise.all([clock.advance(HOUR_MS), clock.advance(1_000)]);
    expect(clock.now()).toBe(START);
  });
});

describe.each(MODES)("the %s clock of a disposed emulator", (mode) => {
  test("rejects present and later sleepers", async () => {
    const emulator = createEmulator({ clock: mode });
    emulator.faults.add({ fault: { kind: "latency", ms: HOUR_MS } });
    const asleep = emulator.clock.sleep(HOUR_MS);
    const advanced = emulator.clock.advance(1_000);
    await emulator[Symbol.asyncDispose]();
    await expect(asleep).rejects.toThrow("The emulator was disposed");
    await expect(emulator.clock.sleep(1)).rejects.toThrow("The emulator was disposed");
    await advanced;
    await expect(emulator.fetch(emulator.url)).rejects.toThrow(TypeError);
  });

  test("does not wait for a request whose body never ends, which is rejected", async () => {
    const emulator = createEmulator({ clock: mode });
    const init = { method: "POST", body: new ReadableStream(), duplex: "half" };
    const endless = emulator.fetch(emulator.url + TASK, init as RequestInit);
    const advanced = emulator.clock.advance(1_000);
    await emulator[Symbol.asyncDispose]();
    await expect(endless).rejects.toThrow(TypeError);
    await advanced;
  });
});

describe("the real clock", () => {
  const openAt = (now: number) => {
    vi.useFakeTimers({ now });
    return createEmulator({ clock: "real" }).clock;
  };

  test("follows the system time, and can be advanced beyond it", async () => {
    const clock = openAt(1_000_000);
    expect(clock.now()).toBe(1_000_000);
    vi.setSystemTime(1_000_500);
    expect(clock.now()).toBe(1_000_500);
    await clock.advance(60_000);
    expect(clock.now()).toBe(1_060_500);
    vi.setSystemTime(1_001_500);
    expect(clock.now()).toBe(1_061_500);
  });

  test("never goes back, and continues when the system time was set back, also for sleepers", async () => {
    const clock = openAt(10_000_000);
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

  test.each([
    ["for a moment", 0, 0],
    ["and advanced meanwhile", 0, 60_000],
    ["for a while", 500, 60_000],
  ])("follows a system time again that was set back %s", async (_, passedMs, advancedMs) => {
    const clock = openAt(10_000_000);
    vi.setSystemTime(1_000_000);
    expect(clock.now()).toBe(10_000_000);
    await vi.advanceTimersByTimeAsync(passedMs);
    await clock.advance(advancedMs);
    expect(clock.now()).toBe(10_000_000 + passedMs + advancedMs);
    vi.setSystemTime(10_000_010 + passedMs);
    expect(clock.now()).toBe(10_000_010 + passedMs + advancedMs);
  });

  test.each<[string, (clock: Emulator["clock"], ms: number) => Promise<unknown>]>([
    ["by the runner's fake timers", (_, ms) => vi.advanceTimersByTimeAsync(ms)],
    ["when it is advanced", (clock, ms) => clock.advance(ms)],
  ])("wakes sleepers %s, each at its own time", async (_, pass) => {
    const clock = openAt(1_000_000);
    const woken: number[] = [];
    for (const ms of [30_000, 10_000]) void clock.sleep(ms).then(() => woken.push(clock.now()));
    await pass(clock, 9_999);
    expect(woken).toEqual([]);
    await pass(clock, 25_000);
    expect(woken).toEqual([1_010_000, 1_030_000]);
  });

  test("sleeps for sixty days, with timers no longer than a runtime allows", async () => {
    const clock = openAt(0);
    const slept = clock.sleep(60 * DAY_MS).then(() => clock.now());
    // A runtime fires a timer of 2 ** 31 ms or more after 1 ms.
    await vi.advanceTimersToNextTimerAsync();
    expect(clock.now()).toBeGreaterThan(DAY_MS);
    await vi.advanceTimersByTimeAsync(60 * DAY_MS);
    expect(await slept).toBe(60 * DAY_MS);
  });

  test("rejects an aborted sleep, and clears its timer", async () => {
    const clock = openAt(1_000_000);
    const controller = new AbortController();
    const sleep = clock.sleep(5_000, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(new Error("no"));
    await expect(sleep).rejects.toThrow("no");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is the service's time", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 5, 1) });
    const { create, read, advance } = createService({ clock: "real" });
    const taskId = await create(VALID.song, { process_seconds: 40 });
    vi.setSystemTime(Date.UTC(2030, 5, 1) + 39_999);
    expect((await read(taskId)).status).toBe("running");
    await advance(1);
    expect(await read(taskId)).toMatchObject({ status: "success", completed_at: "2030-06-01T00:00:40.000Z" });
  });
});
