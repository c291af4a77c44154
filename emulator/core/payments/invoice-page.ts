import type { Bidi } from "bidi-js";
import type PDFDocument from "pdfkit";
import type { StructureElement } from "pdfkit";
import { type FontName, fontOf, normalize, readFontPackage } from "./printable.js";

const RIGHT = 539;
/** With it, the longest address fits on the page. */
const LINE = 13;

export interface Style {
  readonly size?: number;
  readonly gray?: boolean;
}

/** A tagged PDF of one page. Positions are in points, from the left and the upper edge, of a line's baseline. */
export class InvoicePage {
  readonly #pdf: PDFDocument;
  readonly #root: StructureElement;
  readonly #bidi: Bidi;

  /** @param text - Everything that may need the font package. */
  static async create(Title: string, time: string, text: string): Promise<InvoicePage> {
    const { createBidi, FONTS, PDFDocument } = await import("./invoice-libraries.js");
    const Creator = "async-music emulator";
    // biome-ignore lint/plugin: the type in which the library takes the invoice's own time
    const info = { Title, Creator, Producer: Creator, CreationDate: new Date(time) };
    const accessibility = {
      pdfVersion: "1.7",
      subset: "PDF/UA",
      tagged: true,
      lang: "en",
      displayTitle: true,
    };
    const pdf = new PDFDocument({ ...accessibility, info, size: "A4", margin: 0, font: null });
    for (const [name, font] of Object.entries(FONTS)) pdf.registerFont(name, font);
    if (Array.from(normalize(text), fontOf).includes("package"))
      pdf.registerFont("package", await inflate(readFontPackage()));
    return new InvoicePage(pdf, createBidi());
  }

  private constructor(pdf: PDFDocument, bidi: Bidi) {
    this.#pdf = pdf;
    this.#bidi = bidi;
    this.#root = pdf.struct("Document");
    pdf.addStructure(this.#root);
  }

  /** Writes a paragraph, and returns where the next one begins. */
  write(tag: string, text: string, x: number, top: number, style: Style = {}): number {
    const lines = this.#wrap(normalize(text), RIGHT - x, style);
    const draw = () => {
      for (const [index, line] of lines.entries()) this.#draw(line, x, top + LINE * index, style);
    };
    this.#root.add(this.#pdf.struct(tag, { actual: lines.join(" ") }, draw));
    return top + LINE * lines.length;
  }

  writeAll(tag: string, texts: readonly string[], x: number, top: number): number {
    return texts.reduce((next, text) => this.write(tag, text, x, next), top);
  }

  /** The first row of several columns, and the first cell of two, are headings. A negative edge is a right one. */
  table(rows: readonly (readonly string[])[], edges: readonly number[], top: number, step: number): void {
    const table = this.#pdf.struct("Table");
    this.#root.add(table);
    for (const [index, texts] of rows.entries()) {
      const row = this.#pdf.struct("TR");
      table.add(row);
      for (const [column, text] of texts.entries()) {
        const isHeading = edges.length === 2 ? column === 0 : index === 0;
        const draw = () => this.#draw(text, edges[column] ?? 0, top + step * index, { gray: isHeading });
        const scope = edges.length === 2 ? "Row" : "Column";
        row.add(this.#pdf.struct(isHeading ? "TH" : "TD", isHeading ? { scope } : {}, draw));
      }
    }
  }

  rule(y: number): void {
    this.#pdf.markContent("Artifact").lineWidth(0.75).strokeColor("#d1d4db");
    this.#pdf.moveTo(56, y).lineTo(RIGHT, y).stroke().endMarkedContent();
  }

  async toBytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#root.end();
    this.#pdf.end();
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of this.#pdf) chunks.push(chunk);
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  /** Draws one line; to the left of its edge if that is negative. */
  #draw(text: string, edge: number, y: number, { size = 10, gray = false }: Style): void {
    let x = edge < 0 ? -edge - this.#width(text, size) : edge;
    this.#pdf.fillColor(gray ? "#6b707a" : "#1a1a1f");
    for (const run of this.#visualRuns(text)) {
      this.#pdf.font(run.font).fontSize(size).text(run.text, x, y, UNWRAPPED);
      x += this.#pdf.widthOfString(run.text, UNWRAPPED);
    }
  }

  #width(text: string, size: number): number {
    const widthOf = ({ font, text }: Run) =>
      this.#pdf.font(font).fontSize(size).widthOfString(text, UNWRAPPED);
    return this.#visualRuns(text).reduce((sum, run) => sum + widthOf(run), 0);
  }

  /** Breaks at the last space that fits; a longer word, and a script without spaces, within it. */
  #wrap(text: string, width: number, { size = 10 }: Style): string[] {
    const lines: string[] = [];
    let rest = text.trim();
    while (this.#width(rest, size) > width) {
      let end = rest.length - 1;
      while (this.#width(rest.slice(0, end), size) > width) end--;
      const space = rest.lastIndexOf(" ", end);
      lines.push(rest.slice(0, space > 0 ? space : end));
      rest = rest.slice(space > 0 ? space : end).trim();
    }
    return [...lines, rest];
  }

  /** The parts of a line that are in one font and one direction, from left to right. */
  #visualRuns(line: string): Run[] {
    const embedding = this.#bidi.getEmbeddingLevels(line);
    const mirrored = this.#bidi.getMirroredCharactersMap(line, embedding.levels);
    const runs: { font: FontName | null; level: number | undefined; text: string }[] = [];
    for (const index of this.#bidi.getReorderedIndices(line, embedding)) {
      const character = mirrored.get(index) ?? line.charAt(index);
      const font = fontOf(character);
      const level = embedding.levels[index];
      const last = runs.at(-1);
      if (last?.font === font && last.level === level) last.text += character;
      else runs.push({ font, level, text: character });
    }
    // The library itself reverses scripts that are written from right to left.
    return runs.flatMap(({ font, text }) => {
      if (font === null) return [];
      return { font, text: RIGHT_TO_LEFT.test(text) ? Array.from(text).reverse().join("") : text };
    });
  }
}

/** With features, even none, the library lays out a text as a whole, rather than its words from left to right. */
const UNWRAPPED = { features: [], lineBreak: false, baseline: "alphabetic" };

interface Run {
  readonly font: FontName;
  readonly text: string;
}

const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}]/u;

/**
 * Unpacks a WOFF file into the format that it wraps: the library would unpack a table of megabytes for each glyph.
 * Of the header, it reads the number of tables, and of a table its name, position and length.
 */
async function inflate(woff: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const view = new DataView(woff.buffer);
  const count = view.getUint16(12);
  const head = new DataView(new ArrayBuffer(12 + 16 * count));
  head.setUint32(0, view.getUint32(4));
  head.setUint16(4, count);
  const parts: BlobPart[] = [head];
  let offset = head.byteLength;
  for (let index = 0; index < count; index++) {
    const [tag = 0, start = 0, packed = 0, length = 0] = [0, 4, 8, 12].map((at) =>
      view.getUint32(44 + 20 * index + at),
    );
    const table = new Blob([woff.subarray(start, start + packed)]);
    const unpacked =
      packed < length ? table.stream().pipeThrough(new DecompressionStream("deflate")) : table.stream();
    parts.push(await new Response(unpacked).arrayBuffer());
    for (const [field, value] of [tag, 0, offset, length].entries())
      head.setUint32(12 + 16 * index + 4 * field, value);
    offset += length;
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
