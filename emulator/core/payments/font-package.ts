import type { FontData } from "./font.js";
import { compress } from "./pdf-file.js";

/**
 * The part of a WOFF file that prints the characters. The file has TrueType outlines, none of them composed of others,
 * and a Unicode table of format 4.
 */
export async function partOfFont(
  name: string,
  woff: Uint8Array<ArrayBuffer>,
  characters: readonly string[],
): Promise<FontData> {
  const table = (tag: string) => tableIn(woff, tag);
  const head = await table("head");
  const hhea = await table("hhea");
  const maxp = await table("maxp");
  const cmap = await table("cmap");
  const hmtx = await table("hmtx");
  const loca = await table("loca");
  const glyf = await table("glyf");
  const scaled = (length: number) => Math.round((length * 1000) / head.getUint16(18));

  const ids = [0, ...characters.map((character) => glyphIn(cmap, character.charCodeAt(0)))];
  const isLong = head.getInt16(50) === 1;
  const startOf = (id: number) => (isLong ? loca.getUint32(4 * id) : 2 * loca.getUint16(2 * id));
  const outlines = ids.map((id) => partOf(glyf, startOf(id), startOf(id + 1)));
  const lastMetric = hhea.getUint16(34) - 1;
  const metrics = ids.map((id) =>
    partOf(hmtx, 4 * Math.min(id, lastMetric), 4 * Math.min(id, lastMetric) + 4),
  );
  const index = new DataView(new ArrayBuffer(4 * ids.length + 4));
  let end = 0;
  for (const [entry, { byteLength }] of outlines.entries()) {
    end += byteLength;
    index.setUint32(4 * entry + 4, end);
  }

  head.setInt16(50, 1);
  hhea.setUint16(34, ids.length);
  maxp.setUint16(4, ids.length);
  const file = await fileOf({
    glyf: outlines,
    head: [head],
    hhea: [hhea],
    hmtx: metrics,
    loca: [index],
    maxp: [maxp],
  });
  return {
    name,
    ascent: scaled(hhea.getInt16(4)),
    descent: scaled(hhea.getInt16(6)),
    capHeight: scaled(hhea.getInt16(4)),
    box: [36, 38, 40, 42].map((at) => scaled(head.getInt16(at))),
    texts: characters.join("\n"),
    ids: characters.map((_, entry) => entry + 1),
    widths: metrics.slice(1).map((metric) => scaled(metric.getUint16(0))),
    marks: {},
    anchors: {},
    length: file.length,
    program: await compress(file),
  };
}

/** A table of a WOFF file, unpacked. */
async function tableIn(woff: Uint8Array<ArrayBuffer>, tag: string): Promise<DataView<ArrayBuffer>> {
  const view = new DataView(woff.buffer);
  const code = codeOf(tag);
  let entry = 44;
  while (view.getUint32(entry) !== code) entry += 20;
  const [start, packed] = [view.getUint32(entry + 4), view.getUint32(entry + 8)];
  const bytes = new Blob([woff.subarray(start, start + packed)]).stream();
  const isPacked = packed < view.getUint32(entry + 12);
  const unpacked = isPacked ? bytes.pipeThrough(new DecompressionStream("deflate")) : bytes;
  return new DataView(await new Response(unpacked).arrayBuffer());
}

/** The tag of a table, four letters, as font files have it. */
function codeOf(tag: string): number {
  return Array.from(tag).reduce((sum, character) => sum * 256 + character.charCodeAt(0), 0);
}

/** The glyph of a character; 0 for none. */
function glyphIn(cmap: DataView, code: number): number {
  let table = 0;
  for (let entry = 4; table === 0; entry += 8)
    if (cmap.getUint16(cmap.getUint32(entry + 4)) === 4) table = cmap.getUint32(entry + 4);
  const twice = cmap.getUint16(table + 6);
  let at = table + 14;
  while (cmap.getUint16(at) < code) at += 2;
  const start = cmap.getUint16(at + twice + 2);
  const [delta, range] = [cmap.getUint16(at + 2 * twice + 2), cmap.getUint16(at + 3 * twice + 2)];
  if (start > code) return 0;
  const id = range === 0 ? code : cmap.getUint16(at + 3 * twice + 2 + range + 2 * (code - start));
  return id === 0 ? 0 : (id + delta) % 0x10000;
}

function partOf({ buffer }: DataView<ArrayBuffer>, start: number, end: number): DataView<ArrayBuffer> {
  return new DataView(buffer.slice(start, end));
}

/** A TrueType file of these tables, without checksums, which nothing reads in a PDF. */
async function fileOf(
  tables: Readonly<Record<string, readonly BlobPart[]>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const blobs = Object.entries(tables).map(([tag, parts]) => ({ tag, blob: new Blob([...parts]) }));
  const head = new DataView(new ArrayBuffer(12 + 16 * blobs.length));
  head.setUint32(0, 0x00010000);
  head.setUint16(4, blobs.length);
  let offset = head.byteLength;
  for (const [index, { tag, blob }] of blobs.entries()) {
    const entry = 12 + 16 * index;
    head.setUint32(entry, codeOf(tag));
    head.setUint32(entry + 8, offset);
    head.setUint32(entry + 12, blob.size);
    offset += blob.size;
  }
  return new Uint8Array(await new Blob([head, ...blobs.map(({ blob }) => blob)]).arrayBuffer());
}
