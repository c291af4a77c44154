// Of the font library, what the build and its tests need: it is published without types.

declare module "fontkit" {
  interface Glyph {
    readonly id: number;
    readonly advanceWidth: number;
  }

  /** A table of glyphs: as a list, or as ranges. */
  interface Coverage {
    readonly glyphs?: readonly number[];
    readonly rangeRecords?: readonly { readonly start: number; readonly end: number }[];
  }

  interface Anchor {
    readonly xCoordinate: number;
    readonly yCoordinate: number;
  }

  type Marks = readonly { readonly class: number; readonly markAnchor: Anchor }[];
  type Bases = readonly (readonly (Anchor | null)[])[];

  /** Where marks are on letters, or on other marks. */
  interface MarkPositions {
    readonly markCoverage?: Coverage;
    readonly baseCoverage?: Coverage;
    readonly markArray?: Marks;
    readonly baseArray?: Bases;
    readonly mark1Coverage?: Coverage;
    readonly mark2Coverage?: Coverage;
    readonly mark1Array?: Marks;
    readonly mark2Array?: Bases;
    readonly extension?: MarkPositions;
  }

  interface Font {
    readonly postscriptName: string;
    readonly unitsPerEm: number;
    readonly ascent: number;
    readonly descent: number;
    readonly capHeight: number;
    readonly bbox: Readonly<Record<"minX" | "minY" | "maxX" | "maxY", number>>;
    readonly characterSet: readonly number[];
    readonly GPOS?: {
      readonly lookupList: {
        toArray(): readonly { readonly subTables: readonly MarkPositions[] }[];
      };
    };
    glyphForCodePoint(code: number): Glyph;
    getGlyph(id: number): { readonly path: { readonly commands: readonly unknown[] } };
    layout(text: string): { readonly glyphs: readonly Glyph[] };
    createSubset(): { includeGlyph(glyph: Glyph): number; encode(): Uint8Array };
  }

  export function create(file: Uint8Array): Font;
}
