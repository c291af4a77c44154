import { expect, test } from "vitest";
import { belongsTo, countSpent, createWindow } from "../../../../src/rate-limit/window.js";

test("a window of which nothing is known yet begins with its first request, and nothing has left or come in it", () => {
  const window = createWindow(1000, 61_000, 120);
  expect(window).toMatchObject({ openedAt: 1000, beganAfter: 1000, knownAt: 1000, answeredAt: 1000 });
  expect(window).toMatchObject({ endsAt: 61_000, remaining: 120, answered: 0, came: 0 });
  expect(window).toMatchObject({ isConfirmed: false, isWhole: false });
  expect(window.confirmedAt).toBe(Number.POSITIVE_INFINITY);
  expect(countSpent(window)).toBe(0);
});

test("what left in it is counted for all claimants together", () => {
  expect(countSpent({ ...createWindow(0, 1, 1), spent: [1, 20, 300] })).toBe(321);
});

// The window before had 30 left; the later one opened at 60 s, and its first answer, that 119 remain, came at 61 s.
const before = { ...createWindow(0, 60_000, 30), isConfirmed: true };
const later = {
  ...createWindow(60_000, 120_000, 119),
  isConfirmed: true,
  isWhole: true,
  confirmedAt: 61_000,
};

test.each([
  ["left in that one, and tells less than it did", { sentAt: 59_999, remaining: 29 }, 0, true],
  ["left in that one, and tells as much as it did", { sentAt: 59_999, remaining: 30 }, 0, true],
  ["left in that one, but tells more than it did", { sentAt: 59_999, remaining: 31 }, 0, false],
  ["was overtaken by the first answer of the later one", { sentAt: 60_999, remaining: 29 }, 0, true],
  ["left when the later one was known", { sentAt: 61_000, remaining: 29 }, 0, false],
  [
    "tells what requests without an answer explain in the later one",
    { sentAt: 59_999, remaining: 29 },
    89,
    false,
  ],
  ["tells one less than they explain", { sentAt: 59_999, remaining: 29 }, 88, true],
])(
  "an answer to a request that %s: %j with %i unanswered tells of the window before is %s",
  (_, answer, unanswered, isOfBefore) => {
    expect(belongsTo(before, later, answer, unanswered)).toBe(isOfBefore);
  },
);

test("a window that goes on overtakes nobody: what left in it tells of it", () => {
  const goingOn = { ...later, isWhole: false };
  expect(belongsTo(before, goingOn, { sentAt: 60_000, remaining: 29 }, 0)).toBe(false);
  expect(belongsTo(before, goingOn, { sentAt: 59_999, remaining: 29 }, 0)).toBe(true);
});

test("where no window is known before, only what left before this one doesn't tell of it", () => {
  expect(belongsTo(null, later, { sentAt: 59_999, remaining: 118 }, 0)).toBe(true);
  expect(belongsTo(null, later, { sentAt: 60_000, remaining: 2 }, 0)).toBe(false);
});
