import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSystemClock } from "../../../src/time/clock.js";
import { START } from "../../support/test-clock.js";

const HOUR = 3_600_000;
let systemClock = createSystemClock();

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  systemClock = createSystemClock();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Starts a sleep; `took` is its duration in milliseconds once it has ended. */
function sleeping(ms: number, signal?: AbortSignal): { took: number | null; slept: Promise<void> } {
  const sleep: { took: number | null; slept: Promise<void> } = {
    took: null,
    slept: systemClock.sleep(ms, signal).then(() => {
      sleep.took = Date.now() - START;
    }),
  };
  return sleep;
}

test.each([0, -5])("a sleep of %i ms ends at once", async (ms) => {
  const sleep = sleeping(ms);
  await vi.advanceTimersByTimeAsync(0);
  expect(sleep.took).toBe(0);
});

test("a sleep of thirty days does not end at the maximum of `setTimeout`", async () => {
  const days = 86_400_000;
  const sleep = sleeping(30 * days);
  await vi.advanceTimersByTimeAsync(29 * days);
  expect(sleep.took).toBeNull();
  await vi.advanceTimersByTimeAsync(1 * days);
  expect(sleep.took).toBe(30 * days);
});

test("an abort ends a sleep with the signal's reason, and leaves no timer behind", async () => {
  const controller = new AbortController();
  const { slept } = sleeping(5000, controller.signal);
  const reason = { why: "enough" };
  const ended = expect(slept).rejects.toBe(reason);
  controller.abort(reason);
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

test.each([5000, 0])("a sleep of %i ms with an aborted signal sets no timer", async (ms) => {
  await expect(systemClock.sleep(ms, AbortSignal.abort("before"))).rejects.toBe("before");
  expect(vi.getTimerCount()).toBe(0);
});

test("a sleep that has ended removes its listener from the signal", async () => {
  const { signal } = new AbortController();
  sleeping(5000, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("setting the system clock back during a sleep does not lengthen the sleep", async () => {
  const sleep = sleeping(60_000);
  await vi.advanceTimersByTimeAsync(15_000);
  vi.setSystemTime(Date.now() - 3 * HOUR);
  expect(systemClock.now()).toBe(START + 15_000);
  await vi.advanceTimersByTimeAsync(44_999);
  expect(sleep.took).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(sleep.took).toBe(60_000 - 3 * HOUR);
  expect(systemClock.now()).toBe(START + 60_000);
});

test("setting the system clock back twice does not set `now()` back", async () => {
  vi.setSystemTime(START - HOUR);
  await vi.advanceTimersByTimeAsync(5000);
  expect(systemClock.now()).toBe(START + 5000);
  vi.setSystemTime(START - 5 * HOUR);
  expect(systemClock.now()).toBe(START + 5000);
});

test("`now()` follows a system clock that is adjusted by less than a second", () => {
  vi.setSystemTime(START - 900);
  expect(systemClock.now()).toBe(START - 900);
});
