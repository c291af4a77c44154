import { expect, test } from "vitest";
import { TaskReads } from "../../../../src/rate-limit/task-reads.js";

// Limits: Polling. A task may be read once a second. Times are in milliseconds.

test("a task may be read again a second after its response, and until that has come, two seconds after it was sent", () => {
  const reads = new TaskReads();
  const nextAt = (now: number) => reads.nextAt("a", now);
  expect(nextAt(50)).toBe(50);
  reads.note("a", 0, true);
  expect([nextAt(0), nextAt(999), nextAt(1000), nextAt(1999)]).toEqual([1000, 1000, 2000, 2000]);
  expect(nextAt(2000)).toBeLessThanOrEqual(2000);
  expect(reads.nextAt("b", 500)).toBe(500);

  reads.note("a", 5000, true);
  reads.note("a", 5300, false);
  expect([nextAt(5300), nextAt(6299)]).toEqual([6300, 6300]);
  expect(nextAt(6300)).toBeLessThanOrEqual(6300);
});

test("each read is remembered for two seconds, however many tasks are read, and whenever", () => {
  for (let begin = 0; begin < 4000; begin += 125) {
    const reads = new TaskReads();
    for (let now = 0; now < begin; now += 50) reads.note(`other ${now}`, now, false);
    reads.note("a", begin, true);
    for (let now = begin + 25; now < begin + 2000; now += 25) {
      reads.note(`other ${now}`, now, now % 2 === 0);
      expect(reads.nextAt("a", now)).toBe(now < begin + 1000 ? begin + 1000 : begin + 2000);
    }
  }
});

test("reads are forgotten some seconds later", () => {
  const reads = new TaskReads();
  reads.note("a", 0, true);
  const before = reads.nextAt("a", 10_000);
  reads.note("b", 2000, true);
  reads.note("c", 4000, true);
  expect(before).toBeLessThanOrEqual(10_000);
  expect(reads.nextAt("a", 500)).toBe(500);
});
