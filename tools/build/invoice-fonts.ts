import { readFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";
import type { Plugin } from "esbuild";
import type { Anchor, Coverage, Font, Glyph } from "fontkit";
import { type FontData, JOINER } from "../../emulator/core/payments/font.js";
import { BUNDLED } from "../../emulator/core/payments/printable.js";

/** Replaces an imported font file by the part of it that invoices print. */
export const invoiceFonts: Plugin = {
  name: "invoice-fonts",
  setup(build) {
    build.onLoad({ filter: /\.woff$/ }, async ({ path }) => ({ contents: await fontModule(path) }));
  },
};

/** A script that exports the part of a font file that invoices print, as `FontData`. */
export async function fontModule(path: string): Promise<string> {
  const { create } = await import("fontkit");
  const { program, ...data } = partOf(create(await readFile(path)), charactersIn(path));
  const bytes = `Uint8Array.from(atob("${program}"), (byte) => byte.charCodeAt(0))`;
  return `export default { ...${JSON.stringify(data)}, program: ${bytes} }`;
}

/** What the font of this file prints, by its name. */
function charactersIn(path: string): RegExp {
  const [, script = "", extended] = /-(\w+)(-ext)?-400-normal\.woff$/.exec(path) ?? [];
  const name = extended === undefined ? script : `${script}Extended`;
  const printed = BUNDLED.find(([font]) => font === name)?.[1];
  if (printed === undefined) throw new Error(`${path} is not a font of invoices.`);
  return printed;
}

const LIGATURES = ["ff", "fi", "fl", "ffi", "ffl", "لا", "لأ", "لإ", "لآ"];

function partOf(font: Font, printed: RegExp): Omit<FontData, "program"> & { program: string } {
  const characters = font.characterSet
    .map((code) => String.fromCodePoint(code))
    .filter((character) => printed.test(character));
  const glyphs = new Map<string, Glyph>();
  for (const text of [...characters, ...LIGATURES]) {
    const plain = only(font, text);
    if (plain === null) continue;
    glyphs.set(text, plain);
    const isOther = (form: Glyph | null) => form !== null && (form.id !== plain.id || text === TATWEEL);
    const [initial, final] = [only(font, text + JOINER), only(font, JOINER + text)];
    const medial = isOther(initial) ? only(font, JOINER + text + JOINER) : null;
    if (initial !== null && isOther(initial)) glyphs.set(text + JOINER, initial);
    if (final !== null && isOther(final)) glyphs.set(JOINER + text, final);
    if (medial !== null) glyphs.set(JOINER + text + JOINER, medial);
  }
  const subset = font.createSubset();
  const ids = Array.from(glyphs.values(), (glyph) => subset.includeGlyph(glyph));
  const file = subset.encode();
  const scaled = (length: number) => Math.round((length * 1000) / font.unitsPerEm);
  const { minX, minY, maxX, maxY } = font.bbox;
  return {
    name: font.postscriptName,
    ascent: scaled(font.ascent),
    descent: scaled(font.descent),
    capHeight: scaled(font.capHeight),
    box: [minX, minY, maxX, maxY].map(scaled),
    texts: [...glyphs.keys()].join("\n"),
    ids,
    widths: Array.from(glyphs.values(), ({ advanceWidth }) => scaled(advanceWidth)),
    ...anchorsOf(font, glyphs, scaled),
    length: file.length,
    program: deflateSync(file, { level: 9 }).toString("base64"),
  };
}

/** It looks alike in all positions. */
const TATWEEL = "\u0640";

/** The glyph of a text; null if it has several, or one that stands for a missing one. The library draws a joiner as a space. */
function only(font: Font, text: string): Glyph | null {
  const { id: space } = font.glyphForCodePoint(SPACE);
  const drawn = font.layout(text).glyphs.filter(({ id }) => id !== space || text === " ");
  const [glyph, ...others] = drawn;
  return glyph === undefined || glyph.id === 0 || others.length > 0 ? null : glyph;
}

const SPACE = 0x20;

/** The points at which letters, or marks, and the marks on them meet. Each table has its own kinds of marks. */
function anchorsOf(font: Font, glyphs: ReadonlyMap<string, Glyph>, scaled: (length: number) => number) {
  const [marks, anchors]: [FontData["marks"], FontData["anchors"]] = [{}, {}];
  const tables = font.GPOS?.lookupList.toArray().flatMap(({ subTables }) => subTables) ?? [];
  for (const [table, subTable] of tables.entries()) {
    const positions = subTable.extension ?? subTable;
    const markCoverage = positions.markCoverage ?? positions.mark1Coverage;
    const baseCoverage = positions.baseCoverage ?? positions.mark2Coverage;
    if (markCoverage === undefined || baseCoverage === undefined) continue;
    for (const [text, { id }] of glyphs) {
      const mark = (positions.markArray ?? positions.mark1Array)?.[indexIn(markCoverage, id)];
      const points = (positions.baseArray ?? positions.mark2Array)?.[indexIn(baseCoverage, id)] ?? [];
      const add = (to: FontData["anchors"], kind: number, { xCoordinate, yCoordinate }: Anchor) => {
        to[text] = { ...to[text], [`${table}.${kind}`]: [scaled(xCoordinate), scaled(yCoordinate)] };
      };
      if (mark !== undefined) add(marks, mark.class, mark.markAnchor);
      for (const [kind, point] of points.entries()) if (point !== null) add(anchors, kind, point);
    }
  }
  const kinds = new Set(Object.values(marks).flatMap(Object.keys));
  const used = Object.entries(anchors).map(([text, points]) => {
    return [text, Object.fromEntries(Object.entries(points).filter(([kind]) => kinds.has(kind)))] as const;
  });
  return { marks, anchors: Object.fromEntries(used.filter(([, points]) => Object.keys(points).length > 0)) };
}

function indexIn({ glyphs, rangeRecords = [] }: Coverage, id: number): number {
  const all = rangeRecords.flatMap(({ start, end }) =>
    Array.from({ length: end - start + 1 }, (_, index) => start + index),
  );
  return (glyphs ?? all).indexOf(id);
}
