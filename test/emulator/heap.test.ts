import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "../../emulator/time/heap.js";

const isLess = (one: number, other: number) => one < other;

test("whatever goes in and out, the first of those that are in comes out", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 20 }), { nil: "pop" as const })), (moves) => {
      const heap = new Heap(isLess);
      const sorted: number[] = [];
      for (const move of moves) {
        if (move === "pop") {
          expect(heap.pop()).toBe(sorted.shift());
        } else {
          heap.push(move);
          sorted.push(move);
          sorted.sort((one, other) => one - other);
        }
        expect(heap.peek()).toBe(sorted[0]);
      }
      while (sorted.length > 0) expect(heap.pop()).toBe(sorted.shift());
      expect(heap.pop()).toBeUndefined();
    }),
    { numRuns: 200, seed: 1 },
  );
});

test("all can be taken out at once, and nothing stays behind", () => {
  const heap = new Heap(isLess);
  for (const item of [3, 1, 2]) heap.push(item);
  expect(heap.drain().sort()).toEqual([1, 2, 3]);
  expect(heap.peek()).toBeUndefined();
  heap.push(7);
  expect(heap.drain()).toEqual([7]);
});

test("an item moves past those only that lie on its way: a thousand in and out take a few comparisons each", () => {
  let comparisons = 0;
  const heap = new Heap<number>((one, other) => {
    comparisons++;
    return one < other;
  });
  for (let item = 1000; item > 0; item--) heap.push(item);
  for (let item = 1; item <= 1000; item++) expect(heap.pop()).toBe(item);
  expect(comparisons).toBeLessThan(1000 * 3 * Math.log2(1000));
});
