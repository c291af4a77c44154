import { describe, expect, test } from "vitest";
import { at, createRandom, seedOf } from "../../../emulator/audio/seeded.js";

describe("seeded chance", () => {
  test("one seed always gives the same numbers", () => {
    const one = createRandom(7);
    const other = createRandom(7);
    expect(Array.from({ length: 50 }, one.next)).toEqual(Array.from({ length: 50 }, other.next));
  });

  test("neighbouring seeds have nothing to do with each other", () => {
    const firsts = new Set(Array.from({ length: 200 }, (_, seed) => createRandom(seed).next()));
    expect(firsts.size).toBe(200);
  });

  test("numbers spread evenly from 0 up to, but not including, 1", () => {
    const { next } = createRandom(3);
    const numbers = Array.from({ length: 4000 }, next);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toBeCloseTo(0.5, 1);
  });

  test("a seed tells apart the order of its parts and the borders between them", () => {
    const seeds = [
      seedOf("ab", "c"),
      seedOf("a", "bc"),
      seedOf("c", "ab"),
      seedOf("abc"),
      seedOf("ab", "c", 0),
    ];
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  test("seeds beyond 32 bits are told apart", () => {
    expect(seedOf(1)).not.toBe(seedOf(2 ** 32 + 1));
    expect(seedOf(Number.MAX_SAFE_INTEGER)).not.toBe(seedOf(Number.MAX_SAFE_INTEGER - 1));
  });

  test("a list is read in circles, and an empty one is refused", () => {
    expect([at(["a", "b", "c"], 4), at(["a", "b", "c"], -1)]).toEqual(["b", "c"]);
    expect(() => at([], 0)).toThrow(RangeError);
  });
});
