/** The next number of a stream: 0 or more, and less than 1. */
export type Random = () => number;

/**
 * The stream of numbers that belongs to a path below the seed, for example `("task", 7)`. Two streams of one path are
 * the same, and streams of different paths are independent.
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

/** 128 bits. */
export type Words = readonly [number, number, number, number];

/** A hash of strings and other hashes, each letter of which changes all four words (the mixing of MurmurHash3). */
export class Hash {
  #a = 1779033703;
  #b = 3144134277 | 0;
  #c = 1013904242;
  #d = 2773480762 | 0;

  /** Adds a string. */
  add(text: string): this {
    let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
    for (let index = 0; index < text.length; index++) {
      const letter = text.charCodeAt(index);
      a = b ^ Math.imul(a ^ letter, 597399067);
      b = c ^ Math.imul(b ^ letter, 2869860233);
      c = d ^ Math.imul(c ^ letter, 951274213);
      d = a ^ Math.imul(d ^ letter, 2716044179);
    }
    [this.#a, this.#b, this.#c, this.#d] = [a, b, c, d];
    return this;
  }

  /** Adds another hash, like one letter. */
  addHash(other: Hash): this {
    const [a, b, c, d] = other.words();
    this.#a = this.#b ^ Math.imul(this.#a ^ a, 597399067);
    this.#b = this.#c ^ Math.imul(this.#b ^ b, 2869860233);
    this.#c = this.#d ^ Math.imul(this.#c ^ c, 951274213);
    this.#d = this.#a ^ Math.imul(this.#d ^ d, 2716044179);
    return this;
  }

  /** Adds another hash; the order of several added like this does not matter. */
  addInAnyOrder(other: Hash): this {
    const [a, b, c, d] = other.words();
    this.#a = (this.#a + a) | 0;
    this.#b = (this.#b + b) | 0;
    this.#c = (this.#c + c) | 0;
    this.#d = (this.#d + d) | 0;
    return this;
  }

  /** The hash of all that was added. */
  words(): Words {
    const a = Math.imul(this.#c ^ (this.#a >>> 18), 597399067);
    const b = Math.imul(this.#d ^ (this.#b >>> 22), 2869860233);
    const c = Math.imul(a ^ (this.#c >>> 17), 951274213);
    const d = Math.imul(b ^ (this.#d >>> 19), 2716044179);
    return [a, b, c, d];
  }

  /** The same in hexadecimal. */
  toString(): string {
    const [a, b, c, d] = this.words();
    return [hex(a), hex(b), hex(c), hex(d)].join("");
  }
}

/** 32 bits in hexadecimal. */
export function hex(word: number): string {
  return half(word >>> 16) + half(word);
}

/** The lower 16 bits in hexadecimal. */
export function half(word: number): string {
  return `${BYTES[(word >>> 8) & 0xff]}${BYTES[word & 0xff]}`;
}

/** Every byte in hexadecimal: much faster than to work them out, and every request has an id. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
