import type { Random } from "../../src/time/random.js";

export type { Random };

/**
 * The stream of numbers that belongs to a path below the seed, for example `("task", 7)`. Streams of the same path are
 * equal; streams of different paths are independent. Streams are not stored: callers number them in the path, and the counts
 * are part of the state.
 */
export function randomStream(seed: number, ...path: readonly (string | number)[]): Random {
  const next = generatorAt(seed, path);
  return () => next() / 2 ** 32;
}

export function randomUuid(seed: number, ...path: readonly (string | number)[]): string {
  const next = generatorAt(seed, path);
  const [a, b, c, d] = [next(), next(), next(), next()];
  const words = [a, (b & 0xffff0fff) | 0x4000, (c & 0x3fffffff) | 0x80000000, d];
  const letters = [...NIL_UUID];
  let position = 0;
  for (const word of words)
    for (let shift = 28; shift >= 0; shift -= 4) {
      if (letters[position] === HYPHEN) position++;
      letters[position++] = HEX_DIGITS.charCodeAt((word >>> shift) & 15);
    }
  // One flat string: a template would stay in memory as a tree of its parts, seven times as large.
  return String.fromCharCode(...letters);
}

const HEX_DIGITS = "0123456789abcdef";
const HYPHEN = 45;
const NIL_UUID = Array.from("00000000-0000-0000-0000-000000000000", (letter) => letter.charCodeAt(0));

/** The first UUID of a path that is not taken: a seed file or an option may have used it already. */
export function freeUuid(
  taken: { has(id: string): boolean },
  seed: number,
  ...path: readonly (string | number)[]
): string {
  let id = randomUuid(seed, ...path);
  for (let again = 1; taken.has(id); again++) id = randomUuid(seed, ...path, "again", again);
  return id;
}

/** Draws from the standard normal distribution (Box and Muller). */
export function randomNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function randomChoice<Choice>(random: Random, choices: readonly Choice[]): Choice {
  const choice = choices[Math.floor(random() * choices.length)];
  if (choice === undefined) throw new RangeError("`choices` must not be empty.");
  return choice;
}

export function hashOf(text: string): string {
  return hashWords(text).map(hex).join("");
}

type Words = readonly [number, number, number, number];

function generatorAt(seed: number, path: readonly (string | number)[]): () => number {
  return sfc32(hashWords([seed, ...path].join("/")));
}

/** Mixes each letter into all four words, as MurmurHash3 does. */
function hashWords(text: string): Words {
  let [a, b, c, d] = [1779033703, 3144134277 | 0, 1013904242, 2773480762 | 0];
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ letter, 597399067);
    b = c ^ Math.imul(b ^ letter, 2869860233);
    c = d ^ Math.imul(c ^ letter, 951274213);
    d = a ^ Math.imul(d ^ letter, 2716044179);
  }
  const first = Math.imul(c ^ (a >>> 18), 597399067);
  const second = Math.imul(d ^ (b >>> 22), 2869860233);
  const third = Math.imul(first ^ (c >>> 17), 951274213);
  return [first, second, third, Math.imul(second ^ (d >>> 19), 2716044179)];
}

/** The generator `sfc32`: 32-bit numbers from four words. */
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

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
