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

/** How long a sleep took, once it is over. */
function sleeping(ms: number, signal?: AbortSignal): { took: number | null; slept: Promise<void> } {
  const sleep: { took: number | null; slept: Promise<void> } = {
    took: null,
    slept: systemClock.sleep(ms, signal).then(() => {
      sleep.took = Date.now() - START;
    }),
  };
  return sleep;
}

test.each([0, -5])("a sleep of %i ms is over at once", async (ms) => {
  const sleep = sleeping(ms);
  await vi.advanceTimersByTimeAsync(0);
  expect(sleep.took).toBe(0);
});

test("a sleep of thirty days does not end at the longest time that a timer knows", async () => {
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

test.each([5000, 0])("a sleep of %i ms does not begin when it was aborted before", async (ms) => {
  await expect(systemClock.sleep(ms, AbortSignal.abort("before"))).rejects.toBe("before");
  expect(vi.getTimerCount()).toBe(0);
});

test("a signal that outlives a sleep is not listened to any more", async () => {
  const { signal } = new AbortController();
  sleeping(5000, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(5000);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a wall that is set back during a sleep does not make it longer, and the time goes on", async () => {
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

test("a wall that is set back twice, and once between two looks, loses nothing", async () => {
  vi.setSystemTime(START - HOUR);
  await vi.advanceTimersByTimeAsync(5000);
  expect(systemClock.now()).toBe(START + 5000);
  vi.setSystemTime(START - 5 * HOUR);
  expect(systemClock.now()).toBe(START + 5000);
});

test("a wall that is adjusted by a little stays the measure", () => {
  vi.setSystemTime(START - 900);
  expect(systemClock.now()).toBe(START - 900);
});
