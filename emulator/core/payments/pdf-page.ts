/** A4, in points. */
const WIDTH = 595.28;
const HEIGHT = 841.89;

const INK = "0.1 0.1 0.12";
const GRAY = "0.42 0.44 0.48";
const LINE = "0.82 0.83 0.86";

export const LEFT = 56;
export const RIGHT = WIDTH - LEFT;

/** How text is set. `at` is its left end, or its right end with `align: "right"`. */
export interface Setting {
  size?: number;
  bold?: boolean;
  gray?: boolean;
  align?: "left" | "right";
}

/** One page on which text is written from the top down: distances are from its upper edge. */
export class Page {
  readonly #title: string;
  #content = "";

  constructor(title: string) {
    this.#title = title;
  }

  write(text: string, at: number, top: number, setting: Setting = {}): void {
    const { size = 10, bold = false, gray = false, align = "left" } = setting;
    const shown = printable(text);
    const x = align === "right" ? at - widthOf(shown, size) : at;
    const font = bold ? "/Bold" : "/Regular";
    const position = `${x.toFixed(2)} ${(HEIGHT - top).toFixed(2)}`;
    this.#content += `BT ${font} ${size} Tf ${gray ? GRAY : INK} rg ${position} Td ${encoded(shown)} Tj ET\n`;
  }

  /** Writes a text in as many lines as it needs, and returns where the next one goes. */
  writeWrapped(text: string, at: number, top: number, width: number, setting: Setting = {}): number {
    const { size = 10 } = setting;
    let next = top;
    for (const line of wrapped(printable(text), (line) => widthOf(line, size) <= width)) {
      this.write(line, at, next, setting);
      next += size * 1.45;
    }
    return next;
  }

  rule(top: number): void {
    const y = (HEIGHT - top).toFixed(2);
    this.#content += `0.75 w ${LINE} RG ${LEFT} ${y} m ${RIGHT} ${y} l S\n`;
  }

  /** The file. It has no date of creation, so that the same page is the same bytes. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const font = (name: string) =>
      `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents 4 0 R ` +
        "/Resources << /Font << /Regular 5 0 R /Bold 6 0 R >> >> >>",
      `<< /Length ${this.#content.length} >>\nstream\n${this.#content}endstream`,
      font("Courier"),
      font("Courier-Bold"),
      `<< /Title ${encoded(printable(this.#title))} /Producer (async-music emulator) >>`,
    ];
    let file = "%PDF-1.4\n";
    let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
    for (const [index, object] of objects.entries()) {
      table += `${String(file.length).padStart(10, "0")} 00000 n \n`;
      file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    }
    const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 7 0 R >>\n`;
    return new TextEncoder().encode(`${file}${table}${trailer}startxref\n${file.length}\n%%EOF\n`);
  }
}

/** Every character of Courier is 0.6 of the font size wide. */
function widthOf(text: string, size: number): number {
  return 0.6 * size * text.length;
}

/** A string of the page: the codes of its signs in hexadecimal. */
function encoded(text: string): string {
  const codes = Array.from(text, (sign) => {
    const index = sign === " " ? -1 : WINDOWS_1252.indexOf(sign);
    return index < 0 ? sign.charCodeAt(0) : 128 + index;
  });
  return `<${codes.map((code) => code.toString(16).padStart(2, "0")).join("")}>`;
}

/** Breaks at blanks, and within a word that is wider than a line. */
function wrapped(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = "";
    for (const sign of word) {
      if (!fits(line + sign)) {
        lines.push(line);
        line = "";
      }
      line += sign;
    }
  }
  return [...lines, line];
}

/** Letters without a decomposition, each followed by its spelling. */
const SPELLINGS = new Map(
  "ŁL łl ĐD đd ĦH ħh ıi ŦT ŧt ŊN ŋn ẞSS ‐- ‑- −- ʻ' ʼ'"
    .split(" ")
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
);

/** What the standard fonts of PDF have besides ASCII and Latin-1: the codes from 128 on, with blanks for unused ones. */
const WINDOWS_1252 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** Spells text in the letters of the standard fonts: others lose their accents, or become a question mark. */
export function printable(text: string): string {
  return Array.from(text.normalize("NFC"), printableLetter).join("").replaceAll(/\s+/g, " ");
}

function printableLetter(letter: string): string {
  if (/[\p{Z}\s]/u.test(letter)) return " ";
  if (isPrintable(letter)) return letter;
  const spelled = SPELLINGS.get(letter) ?? letter.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const letters = Array.from(spelled).filter(isPrintable).join("");
  return letters === "" ? (/\p{C}|\p{M}/u.test(letter) ? "" : "?") : letters;
}

function isPrintable(letter: string): boolean {
  return /^[\x20-\x7e\xa1-\xac\xae-\xff]$/.test(letter) || WINDOWS_1252.includes(letter);
}
