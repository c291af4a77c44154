import { expect, test } from "vitest";
import { SteadyClock } from "../../../../src/time/clock.js";

function createSettable() {
  const wall = { now: 10_000 };
  const slept: [ms: number, signal: AbortSignal | undefined][] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => void slept.push([ms, signal]);
  return { wall, slept, clock: new SteadyClock({ now: () => wall.now, sleep }) };
}

test("times of a clock that is never set back are unchanged", () => {
  const { wall, clock } = createSettable();
  expect(clock.now()).toBe(10_000);
  wall.now = 12_000;
  expect(clock.now()).toBe(12_000);
  expect(clock.fromClock(11_000)).toBe(11_000);
  expect(clock.toClock(11_000)).toBe(11_000);
});

test("`now()` continues when the clock is set back, and its times are converted both ways", () => {
  const { wall, clock } = createSettable();
  wall.now = 15_000;
  expect(clock.now()).toBe(15_000);
  wall.now = 9000;
  expect(clock.now()).toBe(15_000);
  wall.now = 9500;
  expect(clock.now()).toBe(15_500);
  expect(clock.fromClock(10_000)).toBe(16_000);
  expect(clock.toClock(16_000)).toBe(10_000);
  wall.now = 8500;
  expect(clock.now()).toBe(15_500);
  expect(clock.fromClock(8600)).toBe(15_600);
});

test("`now()` never falls below its first value", () => {
  const { wall, clock } = createSettable();
  wall.now = 4000;
  expect(clock.now()).toBe(10_000);
});

test("`sleep` calls the clock's own `sleep` with the same arguments", async () => {
  const { slept, clock } = createSettable();
  const { signal } = new AbortController();
  await clock.sleep(70, signal);
  expect(slept).toEqual([[70, signal]]);
});
