/** Decodes a text that arrives in one piece. */
const whole = new TextDecoder();

/** The text of a body, decoded as its pieces arrive: if the body breaks off, the text of its beginning is known. */
export class ReceivedText {
  text = "";
  /** Keeps the bytes of a character that is split between two pieces. */
  #decoder: TextDecoder | undefined;

  add(piece: Uint8Array): void {
    // Most bodies are one piece. A decoder that expects no other piece is faster, and fits a text that ends in an ASCII character.
    const isWhole = this.text === "" && this.#decoder === undefined && (piece.at(-1) ?? 0x80) < 0x80;
    if (isWhole) this.text = whole.decode(piece);
    else this.text += this.#decoderOfPieces().decode(piece, { stream: true });
  }

  /** Adds what is left of a character that broke off. */
  end(): void {
    if (this.#decoder !== undefined) this.text += this.#decoder.decode();
  }

  /** A byte order mark counts as one only at the beginning of the whole text. */
  #decoderOfPieces(): TextDecoder {
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: this.text !== "" });
    return this.#decoder;
  }
}
