/** The pieces of a body as one. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0));
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.byteLength;
  }
  return whole;
}
