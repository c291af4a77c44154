import { expect, test } from "vitest";
import { createConduct } from "../../emulator/core/audit/conduct.js";
import { MOST_NOTES, Notes } from "../../emulator/core/audit/notes.js";
import {
  REMEMBERED_FINDINGS,
  type SeenExchange,
  watchConduct,
} from "../../emulator/core/audit/watch-conduct.js";

/** A request that is refused with a wait of a minute. */
function refused(number: number, sameRequest = `request ${number}`): SeenExchange {
  return {
    requestId: String(number),
    cameAt: 0,
    now: 0,
    at: "2026-01-01T00:00:00.000Z",
    arrival: number,
    sameRequest: () => sameRequest,
    submission: null,
    abandonedBefore: null,
    task: null,
    fate: "refused",
    retryAfterSeconds: 60,
  };
}

test("the audit remembers the waits of the last 10,000 requests that were told to wait", () => {
  const conduct = createConduct();
  for (let number = 0; number < 12_000; number++) watchConduct(conduct, refused(number), number);
  const names = Object.keys(conduct.waits.toJSON());
  expect(MOST_NOTES).toBe(10_000);
  expect(names).toEqual(Array.from({ length: 10_000 }, (_, index) => `request ${2_000 + index}`));
});

test("a note that is written anew is dropped after older ones", () => {
  const notes = new Notes<number>({ first: 0 });
  for (let number = 1; number < MOST_NOTES; number++) notes.keep(() => `note ${number}`, number);
  notes.keep(() => "first", 1);
  notes.keep(() => "last", 2);
  expect([notes.find(() => "first"), notes.find(() => "note 1")]).toEqual([1, undefined]);
  expect(Object.keys(notes.toJSON())).toHaveLength(MOST_NOTES);
});

test("the audit remembers the last 10,000 findings, and never twice as many", () => {
  const conduct = createConduct();
  let most = 0;
  // The first one is told to wait. Each of the others comes back too early.
  for (let number = 0; number <= 25_000; number++) {
    watchConduct(conduct, refused(number, "the same"), number);
    most = Math.max(most, conduct.findings.length);
  }
  expect(REMEMBERED_FINDINGS).toBe(10_000);
  expect(most).toBeLessThanOrEqual(20_000);
  expect(conduct.findings.slice(-10_000).map(({ request_id: id }) => Number(id))).toEqual(
    Array.from({ length: 10_000 }, (_, index) => 15_001 + index),
  );
});
