import { expect, test } from "vitest";
import { Heap } from "../../emulator/time/heap.js";

test("a drained heap is empty and usable", () => {
  const heap = new Heap<number>((one, other) => one < other);
  for (const item of [3, 1, 2]) heap.push(item);
  expect(heap.drain().sort()).toEqual([1, 2, 3]);
  expect(heap.peek()).toBeUndefined();
  heap.push(7);
  expect(heap.drain()).toEqual([7]);
});

test("pushing and popping a thousand items takes a few comparisons each", () => {
  let comparisons = 0;
  const heap = new Heap<number>((one, other) => {
    comparisons++;
    return one < other;
  });
  for (let item = 1000; item > 0; item--) heap.push(item);
  for (let item = 1; item <= 1000; item++) expect(heap.pop()).toBe(item);
  expect(comparisons).toBeLessThan(1000 * 3 * Math.log2(1000));
});
