import { expect, test } from "vitest";
import { backoffMs } from "../../../src/http/backoff.js";

const almostOne = 1 - Number.EPSILON;

test("the jitter is full: the shortest wait of every retry is none at all", () => {
  for (const retry of [0, 1, 5, 100]) expect(backoffMs(retry, () => 0)).toBe(0);
});

test("the longest wait doubles from retry to retry", () => {
  const longest = [0, 1, 2, 3].map((retry) => backoffMs(retry, () => almostOne));
  for (const [index, waitMs] of longest.entries()) {
    if (index > 0) expect(waitMs / (longest[index - 1] ?? 0)).toBeCloseTo(2);
  }
});

test("the growth has an end, also after a thousand retries", () => {
  expect(backoffMs(1100, () => almostOne)).toBe(backoffMs(50, () => almostOne));
  expect(backoffMs(1100, () => almostOne)).toBeLessThanOrEqual(60_000);
});

test("waits lie evenly between nothing and the longest", () => {
  expect(backoffMs(3, () => 0.25) * 2).toBeCloseTo(backoffMs(3, () => 0.5));
});
