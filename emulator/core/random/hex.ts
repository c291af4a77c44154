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
