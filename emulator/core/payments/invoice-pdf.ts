import type { Billing, Invoice, Payment } from "./schemas.js";

/** A4, in points. */
const WIDTH = 595.28;
const HEIGHT = 841.89;
const LEFT = 56;
const RIGHT = WIDTH - LEFT;

const INK = "0.1 0.1 0.12";
const GRAY = "0.42 0.44 0.48";
const LINE = "0.82 0.83 0.86";

const SELLER = "Music and Audio Generation Service";
const NOTE = "Issued by the async-music emulator for testing. No money has changed hands, and no tax is due.";

export function writeInvoice(
  invoice: Invoice & Pick<Payment, "automatic" | "card">,
  billing: Billing,
): Uint8Array<ArrayBuffer> {
  const { invoice_id, payment_id, at, credits, automatic, method, card } = invoice;
  const page = new Page();
  const small = { size: 9, gray: true };
  const date = at.slice(0, "2026-01-01".length);
  page.write("Invoice", LEFT, 84, { size: 26, bold: true });
  page.writeLines(["Invoice number", "Date of issue", "Date paid", "Payment"], LEFT, 116, 15, { gray: true });
  page.writeLines([invoice_id, date, date, payment_id], LEFT + 100, 116, 15);

  const { name, address_line_1, address_line_2, postal_code, city, country, tax_id } = billing;
  const place = [postal_code, city].filter((part) => part !== null).join(" ");
  const taxId = tax_id === null ? null : `Tax id: ${tax_id}`;
  const address = [address_line_1, address_line_2, place, country, taxId].filter((line) => line !== null);
  page.write("From", LEFT, 210, small);
  page.write(SELLER, LEFT, 227, { bold: true });
  page.write("Bill to", 310, 210, small);
  const addressTop = page.writeLines(wrapped(name), 310, 227, 14.5, { bold: true });
  const top = page.writeLines(address.flatMap(wrapped), 310, addressTop, 14.5) + 30;

  page.write("Description", LEFT, top, small);
  page.write("Prepaid credits", LEFT, top + 28);
  page.write(automatic ? "Automatic top-up" : "Top-up", LEFT, top + 42, small);
  const total = usd(credits);
  const cells = [
    ["Credits", credits.toLocaleString("en-US"), 350],
    ["Unit price", "USD 0.01", 440],
    ["Amount", total, RIGHT],
  ] as const;
  for (const [name, value, right] of cells) {
    page.write(name, right, top, { ...small, align: "right" });
    page.write(value, right, top + 28, { align: "right" });
  }
  page.rule(top + 9);
  page.rule(top + 55);

  page.writeLines(["Total", "Paid"], 320, top + 77, 18);
  page.writeLines([total, total], RIGHT, top + 77, 18, { align: "right" });
  page.write("Amount due", 320, top + 113, { bold: true });
  page.write(usd(0), RIGHT, top + 113, { bold: true, align: "right" });
  const means = method === "card" ? `by card ending in ${card}` : "by cryptocurrency";
  page.write(`Paid ${means} on ${date}.`, LEFT, top + 155, { gray: true });
  page.write(NOTE, LEFT, 790, { size: 8, gray: true });
  return page.toBytes(`Invoice ${invoice_id}`);
}

function usd(credits: number): string {
  return `USD ${(credits / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
}

/** The lines of an address, of 38 characters at most. */
function wrapped(text: string): readonly string[] {
  const spelled = printable(text).replaceAll(/(\S{38})(?=\S)/g, "$1 ");
  return spelled.match(/\S.{0,37}(?= |$)/g) ?? [];
}

interface Setting {
  size?: number;
  bold?: boolean;
  gray?: boolean;
  /** Which end of the text is at the position. */
  align?: "left" | "right";
}

/** Positions are from the left and the upper edge. */
class Page {
  #content = "";

  write(text: string, at: number, top: number, setting: Setting = {}): void {
    const { size = 10, bold = false, gray = false, align = "left" } = setting;
    const shown = printable(text);
    // Every character of Courier is 0.6 of the font size wide.
    const x = align === "right" ? at - 0.6 * size * shown.length : at;
    const font = bold ? "/Bold" : "/Regular";
    const position = `${x.toFixed(2)} ${(HEIGHT - top).toFixed(2)}`;
    this.#content += `BT ${font} ${size} Tf ${gray ? GRAY : INK} rg ${position} Td ${encoded(shown)} Tj ET\n`;
  }

  /** Returns where the next line would be. */
  writeLines(lines: readonly string[], at: number, top: number, step: number, setting?: Setting): number {
    for (const [index, line] of lines.entries()) this.write(line, at, top + step * index, setting);
    return top + step * lines.length;
  }

  rule(top: number): void {
    const y = (HEIGHT - top).toFixed(2);
    this.#content += `0.75 w ${LINE} RG ${LEFT} ${y} m ${RIGHT} ${y} l S\n`;
  }

  /** The file. It has no date of creation, so that the same page is the same bytes. */
  toBytes(title: string): Uint8Array<ArrayBuffer> {
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
      `<< /Title ${encoded(printable(title))} /Producer (async-music emulator) >>`,
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

/** A PDF string: the codes of its characters in hexadecimal. */
function encoded(text: string): string {
  const codes = Array.from(text, (sign) => {
    const index = sign === " " ? -1 : WINDOWS_1252.indexOf(sign);
    return index < 0 ? sign.charCodeAt(0) : 128 + index;
  });
  return `<${codes.map((code) => code.toString(16).padStart(2, "0")).join("")}>`;
}

/** Letters without a decomposition, each followed by its spelling. */
const SPELLINGS = new Map(
  "ŁL łl ĐD đd ĦH ħh ıi ŦT ŧt ŊN ŋn ẞSS ‐- ‑- −- ʻ' ʼ'"
    .split(" ")
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
);

/** The characters of PDF's standard fonts besides ASCII and Latin-1: the codes from 128 on, with blanks for unused ones. */
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
