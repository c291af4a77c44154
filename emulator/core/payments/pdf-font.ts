import type { Font } from "./font.js";
import { hex, type PdfFile, pdfHex } from "./pdf-file.js";

const RANGE = 256;

/** Adds a font whose codes are its glyphs, and returns a reference to it. @param tag - Six letters that differ for each font. */
export async function addFont(file: PdfFile, { data, texts }: Font, tag: string): Promise<string> {
  const name = `${tag}+${data.name}`;
  const lines = (fields: Readonly<Record<string, string | number>>) =>
    `<<\n${Object.entries(fields)
      .map(([field, value]) => `/${field} ${value}`)
      .join("\n")}\n>>`;
  const program = file.addStream(`/Filter /FlateDecode\n/Length1 ${data.length}`, data.program);
  const descriptor = lines({
    Type: "/FontDescriptor",
    FontName: `/${name}`,
    Flags: 4,
    FontBBox: `[${data.box.join(" ")}]`,
    ItalicAngle: 0,
    Ascent: data.ascent,
    Descent: data.descent,
    CapHeight: data.capHeight,
    StemV: 80,
    FontFile2: program,
  });
  const descendant = lines({
    Type: "/Font",
    Subtype: "/CIDFontType2",
    BaseFont: `/${name}`,
    CIDSystemInfo: "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>",
    FontDescriptor: file.add(descriptor),
    W: `[${data.ids.map((id, index) => `${id} [${data.widths[index]}]`).join(" ")}]`,
    CIDToGIDMap: "/Identity",
  });
  return file.add(
    lines({
      Type: "/Font",
      Subtype: "/Type0",
      BaseFont: `/${name}`,
      Encoding: "/Identity-H",
      DescendantFonts: `[${file.add(descendant)}]`,
      ToUnicode: await file.addCompressed(unicodeMap(texts)),
    }),
  );
}

/** The text of each glyph, for readers that copy or search. */
function unicodeMap(texts: ReadonlyMap<number, string>): string {
  const count = Math.max(...texts.keys()) + 1;
  const codes = Array.from({ length: count }, (_, id) => `<${pdfHex(texts.get(id) ?? "")}>`);
  const ranges = [];
  for (let start = 0; start < count; start += RANGE) {
    const end = Math.min(start + RANGE, count);
    ranges.push(`<${hex(start)}> <${hex(end - 1)}> [${codes.slice(start, end).join(" ")}]`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${ranges.length} beginbfrange
${ranges.join("\n")}
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}
