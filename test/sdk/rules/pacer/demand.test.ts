import { expect, test } from "vitest";
import { Demand } from "../../../../src/rate-limit/demand.js";

const MINUTE = 60_000;

test("nobody is expected before one was seen", () => {
  expect(new Demand().within(1000, MINUTE)).toBe(0);
});

test("who was seen just now is expected once in the next minute, and in half of one by half", () => {
  const demand = new Demand();
  demand.note(5000);
  expect(demand.within(5000, MINUTE)).toBeCloseTo(1, 9);
  expect(demand.within(5000, MINUTE / 2)).toBeCloseTo(0.5, 9);
});

test("what was seen counts less by the e-th part for each minute that passes", () => {
  const demand = new Demand();
  demand.note(5000);
  expect(demand.within(5000 + MINUTE, MINUTE)).toBeCloseTo(1 / Math.E, 9);
  demand.note(5000 + MINUTE);
  demand.note(5000 + 2 * MINUTE);
  expect(demand.within(5000 + 2 * MINUTE, MINUTE)).toBeCloseTo(1 + 1 / Math.E + 1 / Math.E ** 2, 9);
});

test("what comes evenly is expected as often as it comes", () => {
  const demand = new Demand();
  for (let at = 0; at < 20 * MINUTE; at += 2000) demand.note(at);
  expect(demand.within(20 * MINUTE, MINUTE)).toBeGreaterThan(29);
  expect(demand.within(20 * MINUTE, MINUTE)).toBeLessThan(31);
});
