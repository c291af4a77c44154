import type { Bidi } from "bidi-js";
import { Font, type PlacedGlyph } from "./font.js";
import { partOfFont } from "./font-package.js";
import { hex, PdfFile, pdfString } from "./pdf-file.js";
import { addFont } from "./pdf-font.js";
import { type FontName, fontOf, normalize, readFontPackage } from "./printable.js";

const [WIDTH, HEIGHT] = [595.28, 841.89];
export const RIGHT = 539;
/** With it, the longest address fits on the page. */
const LINE = 13;

export interface TextLook {
  readonly size?: number;
  readonly gray?: boolean;
}

/** A part of the text, for readers that do not see the page: a piece of it, or what it consists of. */
interface Element {
  readonly tag: string;
  readonly fields: string;
  /** The number of its piece. */
  readonly piece?: number;
  readonly children: Element[];
}

/** A tagged PDF of one page. Positions are in points, from the left and the upper edge, of a line's baseline. */
export class InvoicePage {
  readonly #title: string;
  readonly #time: string;
  readonly #fonts: ReadonlyMap<FontName, Font>;
  readonly #bidi: Bidi;
  readonly #document: Element = { tag: "Document", fields: "", children: [] };
  readonly #drawing: string[] = [];
  readonly #used = new Set<FontName>();
  #pieces = 0;

  /** @param text - Everything that may need the font package. */
  static async create(title: string, time: string, text: string): Promise<InvoicePage> {
    const { createBidi, FONTS } = await import("./invoice-libraries.js");
    const fonts = new Map<FontName, Font>();
    for (const [name, data] of FONTS) fonts.set(name, new Font(data));
    const others = Array.from(normalize(text)).filter((character) => fontOf(character) === "package");
    if (others.length > 0)
      fonts.set(
        "package",
        new Font(await partOfFont("UnifontExMono", readFontPackage(), [...new Set(others)])),
      );
    return new InvoicePage(title, time, fonts, createBidi());
  }

  private constructor(title: string, time: string, fonts: ReadonlyMap<FontName, Font>, bidi: Bidi) {
    this.#title = title;
    this.#time = time;
    this.#fonts = fonts;
    this.#bidi = bidi;
  }

  /** Writes a paragraph, and returns where the next one begins. */
  write(tag: string, text: string, x: number, top: number, style: TextLook = {}): number {
    const lines = this.#wrap(normalize(text), RIGHT - x, style);
    this.#addPiece(this.#document, tag, `/ActualText ${pdfString(lines.join(" "))}`);
    for (const [index, line] of lines.entries()) this.#draw(line, x, top + LINE * index, style);
    this.#drawing.push("EMC");
    return top + LINE * lines.length;
  }

  writeAll(tag: string, texts: readonly string[], x: number, top: number): number {
    return texts.reduce((next, text) => this.write(tag, text, x, next), top);
  }

  /** The first row of several columns, and the first cell of two, are headings. A negative edge is a right one. */
  table(rows: readonly (readonly string[])[], edges: readonly number[], top: number, step: number): void {
    const table = addElement(this.#document, { tag: "Table", fields: "", children: [] });
    for (const [index, texts] of rows.entries()) {
      const row = addElement(table, { tag: "TR", fields: "", children: [] });
      for (const [column, text] of texts.entries()) {
        const isHeading = edges.length === 2 ? column === 0 : index === 0;
        const scope = edges.length === 2 ? "Row" : "Column";
        if (isHeading) this.#addPiece(row, "TH", `/A << /O /Table /Scope /${scope} >>`);
        else this.#addPiece(row, "TD");
        this.#draw(text, edges[column] ?? 0, top + step * index, { gray: isHeading });
        this.#drawing.push("EMC");
      }
    }
  }

  rule(y: number): void {
    const line = `56 ${HEIGHT - y} m ${RIGHT} ${HEIGHT - y} l S`;
    this.#drawing.push("/Artifact BMC", "0.75 w", `${RULE} RG`, line, "EMC");
  }

  async toBytes(): Promise<Uint8Array<ArrayBuffer>> {
    const file = new PdfFile();
    const [page, pages, tree] = [file.add(), file.add(), file.add()];
    const fonts = await this.#addFonts(file);
    const contents = await file.addCompressed(this.#drawing.join("\n"));
    const resources = file.add(`<< /Font << ${fonts.join(" ")} >> >>`);
    file.set(
      page,
      `<<\n/Type /Page\n/Parent ${pages}\n/MediaBox [0 0 ${WIDTH} ${HEIGHT}]\n/Resources ${resources}\n/Contents ${contents}\n/StructParents 0\n/Tabs /S\n>>`,
    );
    file.set(pages, `<< /Type /Pages /Kids [${page}] /Count 1 >>`);
    const pieces: string[] = [];
    const root = addStructure(file, this.#document, tree, page, pieces);
    const parents = file.add(`<< /Nums [0 [${pieces.join(" ")}]] >>`);
    file.set(tree, `<< /Type /StructTreeRoot /K [${root}] /ParentTree ${parents} /ParentTreeNextKey 1 >>`);
    const metadata = file.addStream(
      "/Type /Metadata\n/Subtype /XML",
      new TextEncoder().encode(metadataOf(this.#title, this.#time)),
    );
    const catalog = file.add(
      `<<\n/Type /Catalog\n/Pages ${pages}\n/Metadata ${metadata}\n/MarkInfo << /Marked true >>\n/StructTreeRoot ${tree}\n/Lang (en)\n/ViewerPreferences << /DisplayDocTitle true >>\n>>`,
    );
    const date = `D:${this.#time.replaceAll(/\.\d+|\D/g, "")}Z`;
    const info = file.add(
      `<< /Title ${pdfString(this.#title)} /Creator ${pdfString(CREATOR)} /Producer ${pdfString(CREATOR)} /CreationDate (${date}) >>`,
    );
    return file.toBytes(catalog, info);
  }

  async #addFonts(file: PdfFile): Promise<string[]> {
    const resources: string[] = [];
    for (const [index, [name, font]] of [...this.#fonts].entries())
      if (this.#used.has(name))
        resources.push(`/${name} ${await addFont(file, font, `AAAAA${String.fromCharCode(65 + index)}`)}`);
    return resources;
  }

  /** Begins a piece of text, which `EMC` ends. */
  #addPiece(parent: Element, tag: string, fields = ""): void {
    this.#drawing.push(`/${tag} << /MCID ${this.#pieces} >> BDC`);
    addElement(parent, { tag, fields, piece: this.#pieces, children: [] });
    this.#pieces++;
  }

  /** Draws one line; to the left of its edge if that is negative. */
  #draw(text: string, edge: number, y: number, { size = 10, gray = false }: TextLook): void {
    let x = edge < 0 ? -edge - this.#width(text, size) : edge;
    this.#drawing.push("BT", `${gray ? GRAY : BLACK} rg`);
    for (const { name, glyphs } of this.#visualRuns(text)) {
      this.#used.add(name);
      this.#drawing.push(`/${name} ${size} Tf`);
      for (const group of groupsOf(glyphs)) {
        const [{ x: right, y: up }] = group;
        this.#drawing.push(
          `1 0 0 1 ${round(x + (right * size) / 1000)} ${round(HEIGHT - y + (up * size) / 1000)} Tm`,
        );
        this.#drawing.push(`[<${group.map(({ id }) => hex(id)).join("")}>] TJ`);
        x += widthOf(group, size);
      }
    }
    this.#drawing.push("ET");
  }

  #width(text: string, size: number): number {
    return this.#visualRuns(text).reduce((sum, { glyphs }) => sum + widthOf(glyphs, size), 0);
  }

  /** Breaks at the last space that fits; a longer word, and a script without spaces, within it. */
  #wrap(text: string, width: number, { size = 10 }: TextLook): string[] {
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

  /** The glyphs of a line from left to right, by font. */
  #visualRuns(line: string): { name: FontName; glyphs: PlacedGlyph[] }[] {
    const embedding = this.#bidi.getEmbeddingLevels(line);
    const mirrored = this.#bidi.getMirroredCharactersMap(line, embedding.levels);
    const runs: { name: FontName | null; level: number; text: string }[] = [];
    for (const index of this.#bidi.getReorderedIndices(line, embedding)) {
      const character = mirrored.get(index) ?? line.charAt(index);
      const name = fontOf(character);
      const level = embedding.levels[index] ?? 0;
      const last = runs.at(-1);
      if (last?.name === name && last.level === level) last.text += character;
      else runs.push({ name, level, text: character });
    }
    return runs.flatMap(({ name, level, text }) => {
      const font = name === null ? undefined : this.#fonts.get(name);
      if (name === null || font === undefined) return [];
      const glyphs =
        level % 2 === 0 ? font.shape(text) : font.shape(Array.from(text).reverse().join("")).reverse();
      return [{ name, glyphs }];
    });
  }
}

const CREATOR = "async-music emulator";
const [BLACK, GRAY, RULE] = ["0.102 0.102 0.122", "0.42 0.439 0.478", "0.82 0.831 0.859"];

function addElement(parent: Element, element: Element): Element {
  parent.children.push(element);
  return element;
}

/** Adds an element with its children, and collects the elements of the pieces. */
function addStructure(
  file: PdfFile,
  element: Element,
  parent: string,
  page: string,
  pieces: string[],
): string {
  const { tag, fields, piece, children } = element;
  const reference = file.add();
  if (piece !== undefined) pieces[piece] = reference;
  const inside = children.map((child) => addStructure(file, child, reference, page, pieces));
  const content = piece === undefined ? `[${inside.join(" ")}]` : `${piece}\n/Pg ${page}`;
  file.set(reference, `<<\n/Type /StructElem\n/S /${tag}\n/P ${parent}\n/K ${content}\n${fields}\n>>`);
  return reference;
}

/** Consecutive glyphs that are not moved; each moved glyph alone. */
function groupsOf(glyphs: readonly PlacedGlyph[]): [PlacedGlyph, ...PlacedGlyph[]][] {
  const groups: [PlacedGlyph, ...PlacedGlyph[]][] = [];
  const isMoved = ({ x, y }: PlacedGlyph) => x !== 0 || y !== 0;
  for (const glyph of glyphs) {
    const last = groups.at(-1);
    if (last !== undefined && !isMoved(glyph) && !isMoved(last[0])) last.push(glyph);
    else groups.push([glyph]);
  }
  return groups;
}

function widthOf(glyphs: readonly PlacedGlyph[], size: number): number {
  return glyphs.reduce((sum, { width }) => sum + width, 0) * (size / 1000);
}

function round(position: number): number {
  return Math.round(position * 1000) / 1000;
}

function metadataOf(title: string, time: string): string {
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title>
<xmp:CreatorTool>${CREATOR}</xmp:CreatorTool>
<xmp:CreateDate>${time}</xmp:CreateDate>
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`;
}
