/** The longest message, in bytes. The longest that a tool needs has a few kilobytes. */
export const LONGEST_MESSAGE_BYTES = 4 * 2 ** 20;

/** The longest ID of a request that is found in a message which is too long. */
const LONGEST_FOUND_ID = 128;

const LINE_FEED = 10;

/**
 * The lines of a stream, each with its line break. Of a line that is too long, nothing is kept: `onTooLong` receives the
 * `id` of the JSON object in it, or `null`.
 */
export async function* limitLines(
  chunks: AsyncIterable<string | Uint8Array>,
  onTooLong: (id: string | number | null) => void,
): AsyncGenerator<Buffer> {
  let line = new Line();
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      line.add(rest.subarray(0, end + 1));
      if (line.discarded === null) yield Buffer.concat(line.parts);
      else onTooLong(line.discarded.id);
      line = new Line();
      rest = rest.subarray(end + 1);
    }
    line.add(rest);
  }
  if (line.discarded !== null) onTooLong(line.discarded.id);
}

class Line {
  parts: Buffer[] = [];
  discarded: IdFinder | null = null;
  #length = 0;

  add(part: Buffer): void {
    this.#length += part.length;
    this.parts.push(part);
    if (this.#length <= LONGEST_MESSAGE_BYTES) return;
    this.discarded ??= new IdFinder();
    for (const each of this.parts.splice(0)) this.discarded.read(each);
  }
}

/** Finds the `id` of a JSON object that arrives in pieces, without keeping them. */
class IdFinder {
  id: string | number | null = null;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The name or value at the first level that is being read. */
  #token = "";
  #name = "";

  read(part: Buffer): void {
    // One character for each byte: the structure of JSON is ASCII.
    for (const character of part.toString("latin1")) this.#readCharacter(character);
  }

  #readCharacter(character: string): void {
    if (this.#isInString) {
      this.#keep(character);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isInString = false;
      return;
    }
    if (this.#depth === 1 && character === ":") {
      this.#name = this.#token.trim();
      this.#token = "";
    } else if (this.#depth === 1 && (character === "," || character === "}")) {
      if (this.#name === '"id"') this.id = idOf(this.#token);
      this.#token = "";
    } else if (!"{[]}".includes(character)) this.#keep(character);
    if (character === '"') this.#isInString = true;
    if (character === "{" || character === "[") this.#depth++;
    if (character === "}" || character === "]") this.#depth--;
  }

  #keep(character: string): void {
    if (this.#depth === 1 && this.#token.length <= LONGEST_FOUND_ID) this.#token += character;
  }
}

function idOf(json: string): string | number | null {
  try {
    const id: unknown = JSON.parse(Buffer.from(json, "latin1").toString());
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
