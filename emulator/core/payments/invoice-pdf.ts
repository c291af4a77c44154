import { LEFT, Page, RIGHT } from "./pdf-page.js";
import type { Billing, Invoice, Payment } from "./types.js";

const SELLER = "Music and Audio Generation Service";
const COLUMNS = { quantity: 350, unit: 440, amount: RIGHT };
const PARTY_WIDTH = 230;
const NOTE = "Issued by the async-music emulator for testing. No money has changed hands, and no tax is due.";

/** An invoice, with what its payment says beyond it. */
export type InvoiceContent = Invoice & Pick<Payment, "automatic" | "card">;

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
