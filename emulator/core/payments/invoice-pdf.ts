import type { Billing, Invoice, Payment } from "./types.js";

/** A4, in points. */
const WIDTH = 595.28;
const HEIGHT = 841.89;

const INK = "0.1 0.1 0.12";
const GRAY = "0.42 0.44 0.48";
const LINE = "0.82 0.83 0.86";

const LEFT = 56;
const RIGHT = WIDTH - LEFT;

const SELLER = "Music and Audio Generation Service";
const COLUMNS = { quantity: 350, unit: 440, amount: RIGHT };
const PARTY_WIDTH = 230;
const NOTE = "Issued by the async-music emulator for testing. No money has changed hands, and no tax is due.";

/** An invoice, with what its payment says beyond it. */
type InvoiceContent = Invoice & Pick<Payment, "automatic" | "card">;

/** Writes an invoice on one page. */
export function writeInvoice(invoice: InvoiceContent, billing: Billing): Uint8Array<ArrayBuffer> {
  const page = new Page(`Invoice ${invoice.invoice_id}`);
  writeHead(page, invoice);
  const parties = writeParties(page, billing);
  const items = writeItem(page, invoice, parties + 30);
  writeTotals(page, invoice, items);
  page.write(NOTE, LEFT, 790, { size: 8, gray: true });
  return page.toBytes();
}

function writeHead(page: Page, { invoice_id, payment_id, at }: InvoiceContent): void {
  page.write("Invoice", LEFT, 84, { size: 26, bold: true });
  const facts = [
    ["Invoice number", invoice_id],
    ["Date of issue", dateOf(at)],
    ["Date paid", dateOf(at)],
    ["Payment", payment_id],
  ] as const;
  for (const [index, [name, value]] of facts.entries()) {
    page.write(name, LEFT, 116 + 15 * index, { gray: true });
    page.write(value, LEFT + 100, 116 + 15 * index);
  }
}

/** Seller and buyer, side by side. Returns where that ends. */
function writeParties(page: Page, billing: Billing): number {
  const top = 210;
  const right = 310;
  page.write("From", LEFT, top, { size: 9, gray: true });
  page.writeWrapped(SELLER, LEFT, top + 17, PARTY_WIDTH, { bold: true });
  page.write("Bill to", right, top, { size: 9, gray: true });
  const { name, address_line_1, address_line_2, postal_code, city, country, tax_id } = billing;
  const lines = [
    address_line_1,
    address_line_2,
    [postal_code, city].filter((part) => part !== null).join(" "),
    country,
    tax_id === null ? null : `Tax id: ${tax_id}`,
  ];
  const start = page.writeWrapped(name, right, top + 17, PARTY_WIDTH, { bold: true });
  return lines.reduce(
    (next, line) => (line === null ? next : page.writeWrapped(line, right, next, PARTY_WIDTH)),
    start,
  );
}

/** The item as a table. Returns where it ends. */
function writeItem(page: Page, { credits, automatic }: InvoiceContent, top: number): number {
  const head = { size: 9, gray: true } as const;
  const row = top + 28;
  page.write("Description", LEFT, top, head);
  page.write("Prepaid credits", LEFT, row);
  page.write(automatic ? "Automatic top-up" : "Top-up", LEFT, row + 14, head);
  const cells = [
    ["Credits", credits.toLocaleString("en-US"), COLUMNS.quantity],
    ["Unit price", "USD 0.01", COLUMNS.unit],
    ["Amount", usd(credits), COLUMNS.amount],
  ] as const;
  for (const [name, value, x] of cells) {
    page.write(name, x, top, { ...head, align: "right" });
    page.write(value, x, row, { align: "right" });
  }
  page.rule(top + 9);
  page.rule(row + 27);
  return row + 27;
}

function writeTotals(page: Page, { credits, method, card, at }: InvoiceContent, top: number): void {
  const rows = [
    ["Total", usd(credits), false],
    ["Paid", usd(credits), false],
    ["Amount due", usd(0), true],
  ] as const;
  for (const [index, [name, amount, bold]] of rows.entries()) {
    page.write(name, COLUMNS.quantity - 30, top + 22 + 18 * index, { bold });
    page.write(amount, COLUMNS.amount, top + 22 + 18 * index, { bold, align: "right" });
  }
  const means = method === "card" ? `by card ending in ${card}` : "by cryptocurrency";
  page.write(`Paid ${means} on ${dateOf(at)}.`, LEFT, top + 100, { gray: true });
}

function usd(credits: number): string {
  return `USD ${(credits / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
}

/** The day in UTC. */
function dateOf(at: string): string {
  return at.slice(0, "2026-01-01".length);
}

/** How text is set. `at` is its left end, or its right end with `align: "right"`. */
interface Setting {
  size?: number;
  bold?: boolean;
  gray?: boolean;
  align?: "left" | "right";
}

/** One page on which text is written from the top down: distances are from its upper edge. */
class Page {
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
