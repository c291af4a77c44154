import { expect, test, vi } from "vitest";
import { DurationLaw } from "../../../../src/rate-limit/duration-law.js";
import { expiresBefore, isDueBefore, isReader, Waiting } from "../../../../src/rate-limit/waiting.js";

const waiting = ({ dueAt = 0, notAfter = Number.POSITIVE_INFINITY, number = 0 }) =>
  new Waiting(
    { kind: "create" },
    { notBefore: 0, notAfter, dueAt, reader: null },
    number,
    () => {},
    () => {},
  );

test.each([
  [{ dueAt: 1, number: 9 }, { dueAt: 2, number: 3 }, true],
  [{ dueAt: 2, number: 3 }, { dueAt: 1, number: 9 }, false],
  [{ dueAt: 1, number: 3 }, { dueAt: 1, number: 9 }, true],
  [{ dueAt: 1, number: 9 }, { dueAt: 1, number: 3 }, false],
  [{ dueAt: 1, number: 3 }, { dueAt: 1, number: 3 }, false],
])(
  "who is due first, and of those who are due together who came first: %j before %j is %s",
  (one, other, isBefore) => {
    expect(isDueBefore(waiting(one), waiting(other))).toBe(isBefore);
  },
);

test.each([
  [1, 2, true],
  [2, 2, false],
  [3, 2, false],
])("who is given up first: %i before %i is %s", (one, other, isBefore) => {
  expect(expiresBefore(waiting({ notAfter: one }), waiting({ notAfter: other }))).toBe(isBefore);
});

test("a poll whose task is known is the reader that is scheduled, and anything else is none", () => {
  const reader = { law: new DurationLaw(), submittedAt: 3, unfinishedAt: 5, notBefore: 7 };
  const times = { notBefore: 7, notAfter: 9, dueAt: 8 };
  const poll = new Waiting({ kind: "poll", taskId: "t" }, { ...times, reader }, 1, vi.fn(), vi.fn());
  expect(isReader(poll)).toBe(true);
  expect(poll).toMatchObject({ ...reader, ...times, taskId: "t" });
  expect(isReader(waiting({}))).toBe(false);
});
