// Of the libraries, what an invoice needs: their published types would bring Node's into the core.

declare module "*.woff" {
  const font: Uint8Array<ArrayBuffer>;
  // biome-ignore lint/style/noDefaultExport: how bundlers import a file
  export default font;
}

declare module "bidi-js" {
  interface Embedding {
    levels: Uint8Array;
  }

  export interface Bidi {
    getEmbeddingLevels(text: string): Embedding;
    getReorderedIndices(text: string, embedding: Embedding): number[];
    getMirroredCharactersMap(text: string, levels: Uint8Array): Map<number, string>;
  }

  // biome-ignore lint/style/noDefaultExport: the library's
  export default function createBidi(): Bidi;
}

declare module "pdfkit" {
  export interface StructureElement {
    add(child: StructureElement): this;
    end(): void;
  }

  type Options = Readonly<Record<string, unknown>>;

  // biome-ignore lint/style/noDefaultExport: the library's
  export default class PDFDocument implements AsyncIterable<Uint8Array<ArrayBuffer>> {
    constructor(options: Options);
    [Symbol.asyncIterator](): AsyncIterator<Uint8Array<ArrayBuffer>>;
    registerFont(name: string, font: Uint8Array): this;
    font(name: string): this;
    fontSize(size: number): this;
    fillColor(color: string): this;
    strokeColor(color: string): this;
    lineWidth(width: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    stroke(): this;
    text(text: string, x: number, y: number, options: Options): this;
    widthOfString(text: string, options: Options): number;
    struct(type: string, options?: Options, draw?: () => void): StructureElement;
    addStructure(element: StructureElement): this;
    markContent(type: string): this;
    endMarkedContent(): this;
    end(): void;
  }
}
