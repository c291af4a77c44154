import { expect, test, vi } from "vitest";
import type { RequestKind } from "../../../../src/rate-limit/pacer.js";
import { Queue } from "../../../../src/rate-limit/queue.js";
import { Waiting } from "../../../../src/rate-limit/waiting.js";

// Whoever is settled is met by nobody any more, wherever in the queue they still lie.

const waiting = (kind: RequestKind, number: number, notAfter = Number.POSITIVE_INFINITY) =>
  new Waiting({ kind }, { notBefore: 0, notAfter, dueAt: number, reader: null }, number, vi.fn(), vi.fn());

/** Three polls and three reads, of which the second of each is settled: half of them upcoming, half lined up. */
function createQueue(isLinedUp: boolean) {
  const queue = new Queue();
  const all = (["poll", "read"] as const).flatMap((kind) => [1, 2, 3].map((at) => waiting(kind, at)));
  for (const each of all) {
    queue.enter(each);
    if (isLinedUp) queue.lineUp(queue.takeDue(9) ?? each);
  }
  for (const each of all) if (each.number === 2) queue.settle(each, true);
  return { queue, all };
}

test.each([true, false])("polls that are priced are those that wait (lined up: %s)", (isLinedUp) => {
  const { queue, all } = createQueue(isLinedUp);
  const polls = queue.takePolls().filter(({ claimant }) => claimant === 2);
  expect(polls.map(({ number }) => number).sort()).toEqual([1, 3]);
  expect(queue.waitingPolls).toBe(2);
  expect(all.filter(({ isSettled }) => isSettled)).toHaveLength(2);
});

test.each([true, false])("all that are taken out are those that wait (lined up: %s)", (isLinedUp) => {
  const { queue } = createQueue(isLinedUp);
  expect(
    queue
      .takeAll()
      .map(({ number }) => number)
      .sort(),
  ).toEqual([1, 1, 3, 3]);
  expect(queue.takeAll()).toEqual([]);
});

test("who is given up later than another who is settled is the next to be given up", () => {
  const queue = new Queue();
  const requests = Array.from({ length: 500 }, (_, index) => waiting("create", index, 1000 + index));
  for (const each of requests) queue.enter(each);
  // So many of them that the settled are cleared away meanwhile.
  for (const each of requests) if (each.number !== 300) queue.settle(each, true);
  expect(queue.nextLateAt).toBe(1300);
  expect(queue.takeLate(1299)).toBeUndefined();
  expect(queue.takeLate(1300)).toBe(requests[300]);
  expect(queue.takeLate(9999)).toBeUndefined();
});

test("settling ends the wait for its abort, where there is one", () => {
  const queue = new Queue();
  const [leave, each, other] = [vi.fn(), waiting("create", 1), waiting("create", 2)];
  each.abort = { leave };
  for (const one of [each, other]) queue.enter(one);
  queue.settle(each, true);
  queue.fail(other, "over");
  expect(leave).toHaveBeenCalledTimes(1);
  expect(each.resolve).toHaveBeenCalledWith(true);
  expect(other.reject).toHaveBeenCalledWith("over");
});
