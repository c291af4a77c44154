// What an invoice needs of the libraries.

declare module "*.woff" {
  const font: import("./font.js").FontData;
  // biome-ignore lint/style/noDefaultExport: how the build replaces a font file
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
