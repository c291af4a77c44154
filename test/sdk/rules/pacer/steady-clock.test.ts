import { expect, test } from "vitest";
import { SteadyClock } from "../../../../src/time/clock.js";

function createSettable() {
  const wall = { now: 10_000 };
  const slept: [ms: number, signal: AbortSignal | undefined][] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => void slept.push([ms, signal]);
  return { wall, slept, clock: new SteadyClock({ now: () => wall.now, sleep }) };
}

test("a clock that nobody sets is as it is", () => {
  const { wall, clock } = createSettable();
  expect(clock.now()).toBe(10_000);
  wall.now = 12_000;
  expect(clock.now()).toBe(12_000);
  expect(clock.fromClock(11_000)).toBe(11_000);
  expect(clock.toClock(11_000)).toBe(11_000);
});

test("a clock that is set back goes on from where it was, and times of its own are carried over", () => {
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

test("it was set back from where it was when the clock was taken up, too", () => {
  const { wall, clock } = createSettable();
  wall.now = 4000;
  expect(clock.now()).toBe(10_000);
});

test("sleeping is the clock's own", async () => {
  const { slept, clock } = createSettable();
  const { signal } = new AbortController();
  await clock.sleep(70, signal);
  expect(slept).toEqual([[70, signal]]);
});
