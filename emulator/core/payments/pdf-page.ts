import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from "@cantoo/pdf-lib";

/** A4, in points. */
const WIDTH = 595.28;
const HEIGHT = 841.89;

const INK = rgb(0.1, 0.1, 0.12);
const GRAY = rgb(0.42, 0.44, 0.48);
const LINE = rgb(0.82, 0.83, 0.86);

export const LEFT = 56;
export const RIGHT = WIDTH - LEFT;

/** How a text is set. `at` is its left end, or its right end where it is `"right"`. */
export interface Setting {
  size?: number;
  bold?: boolean;
  gray?: boolean;
  align?: "left" | "right";
}

/** One page on which text is written from the top down: distances are from its upper edge. */
export class Page {
  readonly #document: PDFDocument;
  readonly #page: PDFPage;
  readonly #fonts: { regular: PDFFont; bold: PDFFont };

  private constructor(document: PDFDocument, fonts: { regular: PDFFont; bold: PDFFont }) {
    this.#document = document;
    this.#fonts = fonts;
    this.#page = document.addPage([WIDTH, HEIGHT]);
  }

  /** An empty page. It bears no time of its making, so that the same text is the same bytes. */
  static async create(title: string): Promise<Page> {
    const document = await PDFDocument.create({ updateMetadata: false });
    document.setTitle(title);
    document.setProducer("async-music emulator");
    document.setLanguage("en");
    const regular = await document.embedFont(StandardFonts.Helvetica);
    const bold = await document.embedFont(StandardFonts.HelveticaBold);
    return new Page(document, { regular, bold });
  }

  write(text: string, at: number, top: number, setting: Setting = {}): void {
    const { size = 10, gray = false, align = "left" } = setting;
    const font = this.#fontOf(setting);
    const shown = printable(text);
    const x = align === "right" ? at - font.widthOfTextAtSize(shown, size) : at;
    this.#page.drawText(shown, { x, y: HEIGHT - top, size, font, color: gray ? GRAY : INK });
  }

  /** Writes a text in as many lines as it needs, and answers where the next one goes. */
  writeWrapped(text: string, at: number, top: number, width: number, setting: Setting = {}): number {
    const { size = 10 } = setting;
    let next = top;
    for (const line of this.#wrap(printable(text), width, size, this.#fontOf(setting))) {
      this.write(line, at, next, setting);
      next += size * 1.45;
    }
    return next;
  }

  rule(top: number): void {
    const y = HEIGHT - top;
    this.#page.drawLine({ start: { x: LEFT, y }, end: { x: RIGHT, y }, thickness: 0.75, color: LINE });
  }

  async toBytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#document.save());
  }

  #fontOf({ bold = false }: Setting): PDFFont {
    return bold ? this.#fonts.bold : this.#fonts.regular;
  }

  /** Breaks at blanks, and within a word that is wider than a line. */
  #wrap(text: string, width: number, size: number, font: PDFFont): string[] {
    const fits = (line: string) => font.widthOfTextAtSize(line, size) <= width;
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
}

/** Letters that have no decomposition, and how they are written where they can't be. */
const SPELLINGS: Readonly<Record<string, string>> = {
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Ħ: "H",
  ħ: "h",
  ı: "i",
  Ŧ: "T",
  ŧ: "t",
  Ŋ: "N",
  ŋ: "n",
  ẞ: "SS",
  "‐": "-",
  "‑": "-",
  "−": "-",
  ʻ: "'",
  ʼ: "'",
};

/** What the standard fonts of PDF have, besides ASCII and Latin-1. */
const WINDOWS_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";

/**
 * A text in the letters that every PDF reader has fonts for, which are those of Western Europe: others lose their
 * accents, or are spelled, and what is left of other scripts is a question mark for each sign.
 */
export function printable(text: string): string {
  return Array.from(text.normalize("NFC"), printableSign).join("").replaceAll(/\s+/g, " ");
}

function printableSign(sign: string): string {
  if (/[\p{Z}\s]/u.test(sign)) return " ";
  if (isPrintable(sign)) return sign;
  const spelled = SPELLINGS[sign] ?? sign.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const letters = Array.from(spelled)
    .filter((each) => isPrintable(each))
    .join("");
  return letters === "" ? (/\p{C}|\p{M}/u.test(sign) ? "" : "?") : letters;
}

function isPrintable(sign: string): boolean {
  return /^[\x20-\x7e\xa1-\xac\xae-\xff]$/.test(sign) || WINDOWS_1252.includes(sign);
}
