import { expect, test } from "vitest";
import { ReadGaps } from "../../../../src/rate-limit/read-gaps.js";

// Limits: no more than one poll a second of one task.

test("the next read of a task comes a second after the last sign of one", () => {
  const gaps = new ReadGaps();
  gaps.note("a", 5000);
  expect(gaps.soonest("a", 5000)).toBe(6000);
  gaps.note("a", 5400);
  expect(gaps.soonest("a", 5900)).toBe(6400);
});

test("a task that nobody has read, and a request that reads none, need not wait", () => {
  const gaps = new ReadGaps();
  gaps.note("a", 5000);
  gaps.note(undefined, 5000);
  expect(gaps.soonest("b", 5000)).toBe(5000);
  expect(gaps.soonest(undefined, 5000)).toBe(5000);
});

test("other tasks don't bring nearer the next read of one", () => {
  const gaps = new ReadGaps();
  gaps.note("a", 5000);
  gaps.note("b", 5500);
  gaps.note("a", 5800);
  gaps.note("c", 6500);
  expect(gaps.soonest("a", 6500)).toBe(6800);
});

test("a read is not forgotten before its second is over, however many follow", () => {
  const gaps = new ReadGaps();
  for (let now = 5000; now < 9000; now += 100) {
    gaps.note(`task ${now}`, now);
    for (let at = Math.max(5000, now - 900); at <= now; at += 100) {
      expect(gaps.soonest(`task ${at}`, now)).toBe(at + 1000);
    }
  }
});

test("what was read long ago is forgotten, and may be read now", () => {
  const gaps = new ReadGaps();
  for (const [index, taskId] of ["a", "b", "c"].entries()) gaps.note(taskId, 5000 + index * 1000);
  expect(gaps.soonest("a", 9000)).toBe(9000);
});
