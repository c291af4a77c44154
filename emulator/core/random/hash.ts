import { hex } from "./hex.js";

/** 128 bits. */
export type Words = readonly [number, number, number, number];

/** The hash of a text and of other hashes, each letter of which touches all four words (the mixing of MurmurHash3). */
export class Hash {
  #a = 1779033703;
  #b = 3144134277 | 0;
  #c = 1013904242;
  #d = 2773480762 | 0;

  /** Goes on with a text. */
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

  /** Goes on with another hash, as with one letter. */
  addHash(other: Hash): this {
    const [a, b, c, d] = other.words();
    this.#a = this.#b ^ Math.imul(this.#a ^ a, 597399067);
    this.#b = this.#c ^ Math.imul(this.#b ^ b, 2869860233);
    this.#c = this.#d ^ Math.imul(this.#c ^ c, 951274213);
    this.#d = this.#a ^ Math.imul(this.#d ^ d, 2716044179);
    return this;
  }

  /** Goes on with another hash in such a way that it is the same whichever of several comes first. */
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
