import { Hash, type Words } from "./hash.js";
import { half, hex } from "./hex.js";

/** The next number of a stream: 0 or more, and less than 1. */
export type Random = () => number;

/**
 * The stream of numbers that belongs to a path below the seed, for example `("task", 7)`. Two streams of one path are
 * the same, and streams of different paths have nothing to do with each other.
 */
export function randomStream(seed: number, ...path: readonly (string | number)[]): Random {
  const next = generatorAt(seed, path);
  return () => next() / 2 ** 32;
}

/** The UUID that belongs to a path below the seed. */
export function randomUuid(seed: number, ...path: readonly (string | number)[]): string {
  const next = generatorAt(seed, path);
  const [a, b, c, d] = [next(), next(), next(), next()];
  const version = (b & 0xffff0fff) | 0x4000;
  const variant = (c & 0x3fffffff) | 0x80000000;
  // Joined, it is one text; a template would stay in memory as a tree of its parts, seven times as large.
  const parts = [hex(a), half(version >>> 16), half(version), half(variant >>> 16), half(variant) + hex(d)];
  return parts.join("-");
}

/** A standard normal number (Box and Muller). */
export function randomNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** One of the choices. */
export function randomChoice<Choice>(random: Random, choices: readonly Choice[]): Choice {
  const choice = choices[Math.floor(random() * choices.length)];
  if (choice === undefined) throw new RangeError("Failed to choose: there are no choices");
  return choice;
}

function generatorAt(seed: number, path: readonly (string | number)[]): () => number {
  const hash = new Hash().add(String(seed));
  for (const part of path) hash.add(`/${part}`);
  return sfc32(hash.words());
}

/** 32-bit numbers from four words (the generator `sfc32`). */
function sfc32([first, second, third, fourth]: Words): () => number {
  let [a, b, c, counter] = [first | 0, second | 0, third | 0, fourth | 0];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 8; round++) next();
  return next;
}
