import { expect, test } from "vitest";
import { CountedRequests } from "../../../src/pacer/counted-requests.js";

// Limits: a window of 60 seconds; an answer is at most half a second on its way.

test("a request counts for sixty seconds after its answer, and is let go of then", () => {
  const counted = new CountedRequests();
  for (const at of [0, 1000, 1000, 30_000]) counted.note(at);
  expect([59_999, 60_000, 61_000, 90_000].map((now) => counted.current(now))).toEqual([4, 3, 1, 0]);
  expect([0, 59_999, 60_000, 61_000].map((now) => counted.nextRegain(now))).toEqual([
    60_000, 60_000, 61_000, 90_000,
  ]);
  expect(counted.nextRegain(90_000)).toBe(Number.POSITIVE_INFINITY);
});

test("what is let go of within a time is known beforehand", () => {
  const counted = new CountedRequests();
  for (const at of [0, 1000, 2000]) counted.note(at);
  expect([60_499, 60_500, 61_500, 62_500].map((now) => counted.regained(50_000, now - 50_000))).toEqual([
    0, 1, 2, 3,
  ]);
});

test("of a client that sends without a limit no more is kept than any limit could ask for", () => {
  const counted = new CountedRequests();
  for (let request = 0; request < 50_000; request++) counted.note(request / 1000);
  expect(counted.current(50)).toBe(10_000);
  expect(counted.nextRegain(50)).toBe(60_040);
});
