import { inflateSync } from "node:zlib";

interface Glyph {
  text: string;
  font: string;
  code: string;
  line: number;
}

/** The text on the page of an invoice, from left to right, and its structure. */
export function readPdf(bytes: Uint8Array) {
  const source = Buffer.from(bytes).toString("latin1");
  const objects = new Map(
    [...source.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj$/gm)].map(([, id, text = ""]) => [id, text]),
  );
  const linked = (text: string, name: string) =>
    objects.get(text.match(new RegExp(`/${name} \\[?(\\d+) 0 R`))?.[1]) ?? "";
  const bytesIn = (text: string) => {
    const [, data = ""] = text.match(/\nstream\n([\s\S]*)\nendstream/) ?? [];
    return inflateSync(Buffer.from(data, "latin1"));
  };
  const streamIn = (text: string) => bytesIn(text).toString("latin1");
  const page = [...objects.values()].find((text) => /\/Type \/Page$/m.test(text)) ?? "";
  const fonts = linked(page, "Resources");
  const charactersOf = (font: string) =>
    [...streamIn(linked(linked(fonts, font), "ToUnicode")).matchAll(/\[(.*)\]/g)]
      .flatMap(([, list = ""]) => [...list.matchAll(/<([\da-f]*)>/g)])
      .map(([, codes = ""]) => Buffer.from(codes, "hex").swap16().toString("utf16le"));

  const characters = new Map<string, readonly string[]>();
  const glyphs: Glyph[] = [];
  const lineTops: number[] = [];
  let font = "";
  const drawing = /(BDC)$|^1 0 0 1 \S+ (\S+) Tm$|^\/(\S+) \S+ Tf$|^(\[.*\]) TJ$/gm;
  let isNew = true;
  for (const [, marked, y, name, shown] of streamIn(linked(page, "Contents")).matchAll(drawing)) {
    if (marked !== undefined) isNew = true;
    if (y !== undefined) {
      const top = Math.round(841.89 - Number(y));
      if (isNew || Math.abs(top - (lineTops.at(-1) ?? 0)) > 8) lineTops.push(top);
      isNew = false;
    }
    if (name !== undefined) font = name;
    if (name !== undefined && !characters.has(font)) characters.set(font, charactersOf(font));
    for (const [, run = ""] of shown?.matchAll(/<([\da-f]+)>/g) ?? [])
      for (const code of run.match(/.{4}/g) ?? []) {
        const text = characters.get(font)?.[Number.parseInt(code, 16)] ?? "";
        glyphs.push({ text, font, code, line: lineTops.length - 1 });
      }
  }
  const lines = lineTops.map((_, line) =>
    glyphs
      .filter((glyph) => glyph.line === line)
      .map(({ text }) => text)
      .join(""),
  );
  const actualTexts = [...source.matchAll(/\/ActualText (?:<feff(\w+)>|\(((?:\\.|[^\\)])*)\))/g)].map(
    ([, hex, text = ""]) =>
      hex === undefined
        ? text.replaceAll(/\\(.)/g, "$1")
        : Buffer.from(hex, "hex").swap16().toString("utf16le"),
  );
  /** The file of an embedded font. */
  const fontFile = (font: string) => {
    const descriptor = linked(linked(linked(fonts, font), "DescendantFonts"), "FontDescriptor");
    return bytesIn(linked(descriptor, "FontFile2"));
  };
  return { source, lines, lineTops, glyphs, actualTexts, fontFile };
}
