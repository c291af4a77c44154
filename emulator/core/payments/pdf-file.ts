/** Collects the numbered objects of a PDF, and writes them with their index. */
export class PdfFile {
  readonly #objects: BlobPart[][] = [];

  /** Returns a reference to a new object, whose content may follow. */
  add(content?: string): string {
    this.#objects.push([]);
    const reference = `${this.#objects.length} 0 R`;
    if (content !== undefined) this.set(reference, content);
    return reference;
  }

  set(reference: string, content: string): void {
    this.#objects[Number.parseInt(reference, 10) - 1] = [content];
  }

  /** Adds bytes, with the fields that describe them. */
  addStream(fields: string, bytes: Uint8Array<ArrayBuffer>): string {
    const head = `<<\n${fields}\n/Length ${bytes.length}\n>>\nstream\n`;
    this.#objects.push([head, bytes, "\nendstream"]);
    return `${this.#objects.length} 0 R`;
  }

  /** Adds text, which is stored compressed. */
  async addCompressed(text: string): Promise<string> {
    return this.addStream("/Filter /FlateDecode", await compress(new TextEncoder().encode(text)));
  }

  async toBytes(catalog: string, info: string): Promise<Uint8Array<ArrayBuffer>> {
    const header = new Blob(["%PDF-1.7\n%", new Uint8Array([255, 255, 255, 255]), "\n"]);
    const objects = this.#objects.map(
      (parts, index) => new Blob([`${index + 1} 0 obj\n`, ...parts, "\nendobj\n"]),
    );
    let offset = header.size;
    const offsets = objects.map(({ size }) => {
      offset += size;
      return `${String(offset - size).padStart(10, "0")} 00000 n \n`;
    });
    const count = objects.length + 1;
    const index = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join("")}`;
    const trailer = `trailer\n<<\n/Size ${count}\n/Root ${catalog}\n/Info ${info}\n>>\nstartxref\n${offset}\n%%EOF\n`;
    return new Uint8Array(await new Blob([header, ...objects, index, trailer]).arrayBuffer());
  }
}

/** Compressed with zlib. */
export async function compress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** A text as a string of a PDF. */
export function pdfString(text: string): string {
  if (/^[ -~]*$/.test(text)) return `(${text.replaceAll(/[\\()]/g, "\\$&")})`;
  return `<feff${pdfHex(text)}>`;
}

/** The UTF-16 code units of a text. */
export function pdfHex(text: string): string {
  return Array.from({ length: text.length }, (_, index) => hex(text.charCodeAt(index))).join("");
}

/** A number below 65,536 in four digits. */
export function hex(number: number): string {
  return number.toString(16).padStart(4, "0");
}
