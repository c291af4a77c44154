import { expect, test } from "vitest";
import { expiresBefore, isDueBefore, type Waiting } from "../../../../src/pacer/waiting.js";

const waiting = (fields: Partial<Waiting>): Waiting => ({
  request: { kind: "create" },
  notBefore: 0,
  notAfter: Number.POSITIVE_INFINITY,
  dueAt: 0,
  number: 0,
  reader: null,
  isSettled: false,
  settle() {},
  fail() {},
  ...fields,
});

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
