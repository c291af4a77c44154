/** The part of a font that invoices may print. Lengths are in thousandths of the font's size. */
export interface FontData {
  readonly name: string;
  readonly ascent: number;
  readonly descent: number;
  readonly capHeight: number;
  /** The edges of the largest glyph. */
  readonly box: readonly number[];
  /** The texts that have a glyph, one a line: characters, ligatures, and both with a joiner on the sides where they join a letter. */
  readonly texts: string;
  /** The glyph of each text. */
  readonly ids: readonly number[];
  readonly widths: readonly number[];
  /** The points at which marks meet what they are on, by kind. */
  readonly marks: Record<string, Record<string, readonly [x: number, y: number]>>;
  /** The points at which letters and marks meet the marks on them, by kind. */
  readonly anchors: Record<string, Record<string, readonly [x: number, y: number]>>;
  /** The length of the TrueType file. */
  readonly length: number;
  /** The TrueType file, compressed with zlib. */
  readonly program: Uint8Array<ArrayBuffer>;
}

/** The zero-width joiner. */
export const JOINER = "\u200d";

const MARKS = /\p{M}+/gu;
/** Unicode puts the vowel first, and writers put it on the shadda. */
const VOWEL_BEFORE_SHADDA = /([\u064b-\u0650\u0652])\u0651/g;
const LONGEST_LIGATURE = 3;
const MISSING = { id: 0, width: 0 };

/** A glyph, moved from its position in the line: thousandths of the font's size to the right, and up. */
export interface PlacedGlyph {
  readonly id: number;
  readonly width: number;
  readonly x: number;
  readonly y: number;
}

/** Chooses the glyphs of texts. */
export class Font {
  readonly data: FontData;
  readonly #glyphs: ReadonlyMap<string, { id: number; width: number }>;

  constructor(data: FontData) {
    this.data = data;
    const { ids, widths } = data;
    const glyphs = data.texts.split("\n").map((text, index) => {
      return [text, { id: ids[index] ?? 0, width: widths[index] ?? 0 }] as const;
    });
    this.#glyphs = new Map(glyphs);
  }

  /** The first text of each glyph. */
  get texts(): ReadonlyMap<number, string> {
    const texts = Array.from(this.#glyphs, ([text, { id }]) => [id, text.replaceAll(JOINER, "")] as const);
    return new Map(texts.reverse());
  }

  /** The glyphs of a text in logical order, with ligatures, joined letters, and marks on their letters. */
  shape(characters: string): PlacedGlyph[] {
    const text = characters.replaceAll(VOWEL_BEFORE_SHADDA, "\u0651$1");
    const placed: PlacedGlyph[] = [];
    /** The letter, and the marks on it, that a next mark may be on. */
    let bearers: { form: string; x: number; y: number }[] = [];
    for (let index = 0; index < text.length; ) {
      const cluster = this.#clusterAt(text, index);
      const form = this.#formOf(text.slice(0, index), cluster, text.slice(index + cluster.length));
      index += cluster.length;
      const position = this.#positionOn(bearers, form);
      placed.push({ ...(this.#glyphs.get(form) ?? MISSING), ...position });
      if (!(form in this.data.marks)) bearers = [];
      bearers.unshift({ form, ...position });
    }
    return placed;
  }

  /** Where a mark is relative to its letter. */
  #positionOn(
    bearers: readonly { form: string; x: number; y: number }[],
    mark: string,
  ): { x: number; y: number } {
    for (const { form, x, y } of bearers)
      for (const [kind, [left, low]] of Object.entries(this.data.marks[mark] ?? {})) {
        const anchor = this.data.anchors[form]?.[kind];
        if (anchor !== undefined) return { x: x + anchor[0] - left, y: y + anchor[1] - low };
      }
    return { x: 0, y: 0 };
  }

  /** The longest text at the index that has a glyph. */
  #clusterAt(text: string, index: number): string {
    for (let length = LONGEST_LIGATURE; length > 1; length--) {
      const cluster = text.slice(index, index + length);
      if (cluster.length === length && this.#glyphs.has(cluster)) return cluster;
    }
    return text.charAt(index);
  }

  /** The cluster with a joiner on the sides where it joins a letter. */
  #formOf(before: string, cluster: string, after: string): string {
    const joins = (one = "", other = "") =>
      this.#glyphs.has(one + JOINER) && this.#glyphs.has(JOINER + other) && one !== "" && other !== "";
    const start = joins(before.replace(MARKS, "").at(-1), cluster) ? JOINER : "";
    const end = joins(cluster, after.replace(MARKS, "").at(0)) ? JOINER : "";
    return start + cluster + end;
  }
}
