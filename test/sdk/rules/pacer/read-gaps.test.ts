import { expect, test } from "vitest";
import { ReadGaps } from "../../../../src/pacer/read-gaps.js";

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

test("a read that is a second old is forgotten with the next one, and no other", () => {
  const gaps = new ReadGaps();
  gaps.note("a", 5000);
  gaps.note("b", 5001);
  gaps.note("c", 6000);
  // What is forgotten allows a read now; what is not, when its second is over.
  expect(gaps.soonest("a", 9000)).toBe(9000);
  expect(gaps.soonest("b", 9000)).toBe(6001);
});

test("a task that is read again is forgotten later than those that were not", () => {
  const gaps = new ReadGaps();
  gaps.note("a", 5000);
  gaps.note("b", 5001);
  gaps.note("a", 5900);
  gaps.note("c", 6500);
  expect(gaps.soonest("b", 9000)).toBe(9000);
  expect(gaps.soonest("a", 9000)).toBe(6900);
});
