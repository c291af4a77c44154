import { expect, test } from "vitest";
import { ReadSchedule } from "../../../../src/rate-limit/read-schedule.js";

const MINUTE = 60_000;
const NOW = 10 * MINUTE;

const waiting = (fields = {}) => ({
  model: "provider_a",
  type: "music",
  submittedAt: NOW,
  unfinishedAt: NOW,
  ...fields,
});

const scarce = { reads: 1, now: NOW, until: NOW + MINUTE };

test("while reads are free a task is read as soon as its caller allows it", () => {
  const schedule = new ReadSchedule();
  expect(schedule.dueAt(schedule.reader(waiting(), NOW + 5000, NOW))).toBe(NOW + 5000);
});

test("while they are scarce it is read when it is worth one", () => {
  const schedule = new ReadSchedule();
  const readers = Array.from({ length: 50 }, () => schedule.reader(waiting(), NOW + 5000, NOW));
  const [reader] = readers;
  if (reader === undefined) throw new Error("Invariant: there are readers.");
  schedule.price(readers, [scarce]);
  expect(schedule.dueAt(reader)).toBeGreaterThan(NOW + MINUTE / 2);
  expect(schedule.dueAt({ ...reader, notBefore: NOW + 30 * MINUTE })).toBe(NOW + 30 * MINUTE);
  // One that is older is nearer to its end.
  const older = schedule.reader(waiting({ submittedAt: NOW - MINUTE }), NOW + 5000, NOW);
  expect(schedule.dueAt(older)).toBeLessThan(schedule.dueAt(reader));
});

test("when nobody waits any more reads are free again", () => {
  const schedule = new ReadSchedule();
  const readers = Array.from({ length: 50 }, () => schedule.reader(waiting(), NOW + 5000, NOW));
  schedule.price(readers, [scarce]);
  schedule.price([], [scarce]);
  expect(schedule.dueAt(schedule.reader(waiting(), NOW + 5000, NOW))).toBe(NOW + 5000);
});

test("tasks of one model and type share what is learned; those of another don't", () => {
  const schedule = new ReadSchedule();
  const reader = (fields = {}) => schedule.reader(waiting(fields), NOW, NOW);
  expect(reader().law).toBe(reader().law);
  expect(reader().law).not.toBe(reader({ type: "lyrics" }).law);
  expect(reader().law).not.toBe(reader({ model: "provider_b" }).law);
  expect(reader({ model: "a", type: "b" }).law).not.toBe(reader({ model: "ab", type: "" }).law);
});

test("what a reading found is learned at the task's age", () => {
  const schedule = new ReadSchedule();
  const { law } = schedule.reader(waiting(), NOW, NOW);
  const aliveAt = (ageMs: number) => law.readAges.alive[law.readAges.ages.findIndex((age) => age >= ageMs)];
  const before = aliveAt(90_000) ?? 0;
  for (let task = 0; task < 50; task++) {
    schedule.learn(waiting({ submittedAt: NOW - 100_000, unfinishedAt: NOW - 100_000 }), NOW, false);
    schedule.learn(waiting({ submittedAt: NOW - 105_000, unfinishedAt: NOW - 5000 }), NOW, true);
  }
  law.refresh();
  expect(aliveAt(90_000)).toBeGreaterThan(before);
  expect(aliveAt(90_000)).toBeGreaterThan(0.9);
  expect(aliveAt(120_000)).toBeLessThan(0.1);
});

test("a task that has not been read yet is a newcomer, others of whom will come; one that has been is not", () => {
  const schedule = new ReadSchedule();
  const { law } = schedule.reader(waiting({ submittedAt: NOW - 1 }), NOW, NOW);
  expect(law.newcomers.within(NOW, MINUTE)).toBe(0);
  schedule.reader(waiting(), NOW, NOW);
  expect(law.newcomers.within(NOW, MINUTE)).toBeCloseTo(1, 9);
});

test("ten thousand models and types that a hostile service names take no more than 17 distributions", () => {
  const schedule = new ReadSchedule();
  const own = schedule.reader(waiting(), NOW, NOW).law;
  const laws = new Set(
    Array.from({ length: 10_000 }, (_, index) => {
      schedule.learn(waiting({ model: `model ${index}`, submittedAt: NOW - 1000 }), NOW, true);
      return schedule.reader(waiting({ model: `model ${index}` }), NOW, NOW).law;
    }),
  );
  expect(laws.size).toBeLessThanOrEqual(16);
  expect(schedule.reader(waiting(), NOW, NOW).law).toBe(own);
});

test("of tasks of which only the id is known, the age is guessed from those that were read", () => {
  const schedule = new ReadSchedule();
  expect(schedule.guess(0, NOW)).toBeNull();
  schedule.learn(
    waiting({ submittedAt: NOW - MINUTE, unfinishedAt: NOW - MINUTE, resumedAt: NOW }),
    NOW + 100,
    false,
  );
  expect(schedule.guess(7, NOW + 5000)).toMatchObject({ submittedAt: NOW + 5000 - MINUTE });
});
