import { expect, test } from "vitest";
import { CountedRequests } from "../../../src/rate-limit/counted-requests.js";

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

test("what a client has sent longer ago than any window is let go of, one by one", () => {
  const counted = new CountedRequests();
  for (let at = 0; at <= 300_000; at += 1000) counted.note(at);
  expect(counted.current(300_000)).toBe(60);
  expect(counted.nextRegain(300_000)).toBe(301_000);
  expect(counted.current(330_000)).toBe(30);
});

test("what still counts, or may, is not forgotten with the next request", () => {
  const counted = new CountedRequests();
  counted.note(0);
  counted.note(59_700);
  expect(counted.current(59_700)).toBe(2);
  counted.note(60_499);
  // The first may have been counted half a second before its answer came, or still be.
  expect(counted.explain(60_499, 3, 0, 0)).toBe(true);
  counted.note(60_500);
  expect(counted.explain(60_500, 4, 0, 0)).toBe(false);
});

/** Ten requests, a second apart; the last answers came as the window that slides let go of the first. */
function tenRequests(): CountedRequests {
  const counted = new CountedRequests();
  for (let at = 0; at < 10_000; at += 1000) counted.note(at);
  return counted;
}

test.each([
  // At 62 s those at 0, 1 and 2 s are let go of; the answer at 2 s may have taken as long as half a second.
  [62_000, 8, 0, 0, true],
  [62_000, 7, 0, 0, true],
  [62_000, 9, 0, 0, false],
  [62_000, 6, 0, 0, false],
  [62_000, 9, 1, 0, true],
  [62_000, 10, 1, 0, false],
  [62_000, 9, 0, 1, true],
  [62_000, 6, 0, 1, true],
  [62_000, 10, 0, 1, false],
  [62_000, 5, 0, 1, false],
  [62_000, 6, 1, 0, false],
  [62_499, 8, 0, 0, true],
  [62_500, 8, 0, 0, false],
  [61_500, 7, 0, 0, true],
  [61_499, 7, 0, 0, false],
])(
  "a window that slides explains at %i ms that %i are spent, with %i unanswered and a tolerance of %i: %s",
  (now, spent, unanswered, tolerance, isExplained) => {
    expect(tenRequests().explain(now, spent, unanswered, tolerance)).toBe(isExplained);
  },
);
