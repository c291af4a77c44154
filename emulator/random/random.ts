/** The next number of a stream: 0 or more, and less than 1. */
export type Random = () => number;

/**
 * The stream of numbers that belongs to a path below the seed, for example `("task", 7)`. Two streams of one path are
 * the same, and streams of different paths have nothing to do with each other.
 */
export function randomStream(seed: number, ...path: readonly (string | number)[]): Random {
  const next = sfc32(hashOf(`${seed}/${path.join("/")}`));
  return () => next() / 2 ** 32;
}

/** The UUID that belongs to a path below the seed. */
export function randomUuid(seed: number, ...path: readonly (string | number)[]): string {
  const next = sfc32(hashOf(`${seed}/${path.join("/")}`));
  const [a, b, c, d] = [next(), next(), next(), next()];
  const version = (b & 0xffff0fff) | 0x4000;
  const variant = (c & 0x3fffffff) | 0x80000000;
  // Joined, it is one text; a template would stay in memory as a tree of its parts, seven times as large.
  const parts = [hex(a), half(version >>> 16), half(version), half(variant >>> 16), half(variant) + hex(d)];
  return parts.join("-");
}

/** A mark by which a text can be told from others; the same in every emulator. */
export function digest(text: string): string {
  return hashOf(text)
    .map((word) => hex(word >>> 0))
    .join("");
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

type Words = readonly [number, number, number, number];

/** Four 32-bit words from a text, each letter of which touches all of them (the mixing of MurmurHash3). */
function hashOf(text: string): Words {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index++) {
    const letter = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ letter, 597399067);
    b = c ^ Math.imul(b ^ letter, 2869860233);
    c = d ^ Math.imul(c ^ letter, 951274213);
    d = a ^ Math.imul(d ^ letter, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [a, b, c, d];
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

function hex(word: number): string {
  return half(word >>> 16) + half(word);
}

function half(word: number): string {
  return `${BYTES[(word >>> 8) & 0xff]}${BYTES[word & 0xff]}`;
}

/** Every byte in hexadecimal: much faster than to work them out, and every request has an id. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
