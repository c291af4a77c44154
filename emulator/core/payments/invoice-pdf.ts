import { LEFT, Page, RIGHT } from "./pdf-page.js";
import type { Billing, Invoice, Payment } from "./types.js";

const SELLER = "Music and Audio Generation Service";
const COLUMNS = { quantity: 350, unit: 440, amount: RIGHT };
const PARTY_WIDTH = 230;

/** An invoice, with what its payment says beyond it. */
export type InvoiceContent = Invoice & Pick<Payment, "automatic" | "card">;

/** Writes an invoice on one page. */
export function writeInvoice(invoice: InvoiceContent, billing: Billing): Uint8Array<ArrayBuffer> {
  const page = new Page(`Invoice ${invoice.invoice_id}`);
  writeHead(page, invoice);
  const top = writeParties(page, billing);
  writeTotals(page, invoice, writeItem(page, invoice, top + 30));
  page.write(
    "Issued by the async-music emulator for testing. No money has changed hands, and no tax is due.",
    LEFT,
    790,
    { size: 8, gray: true },
  );
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
    const top = 116 + 15 * index;
    page.write(name, LEFT, top, { gray: true });
    page.write(value, LEFT + 100, top);
  }
}

/** Seller and buyer, side by side. Returns where that ends. */
function writeParties(page: Page, billing: Billing): number {
  const top = 210;
  page.write("From", LEFT, top, { size: 9, gray: true });
  page.writeWrapped(SELLER, LEFT, top + 17, PARTY_WIDTH, { bold: true });

  const right = 310;
  page.write("Bill to", right, top, { size: 9, gray: true });
  let next = page.writeWrapped(billing.name, right, top + 17, PARTY_WIDTH, { bold: true });
  const { address_line_1, address_line_2, postal_code, city, country, tax_id } = billing;
  const lines = [
    address_line_1,
    address_line_2,
    [postal_code, city].filter((part) => part !== null).join(" "),
    country,
    tax_id === null ? null : `Tax id: ${tax_id}`,
  ];
  for (const line of lines) {
    if (line !== null) next = page.writeWrapped(line, right, next, PARTY_WIDTH);
  }
  return next;
}

/** The item as a table. Returns where it ends. */
function writeItem(page: Page, { credits, automatic }: InvoiceContent, top: number): number {
  const head = { size: 9, gray: true } as const;
  page.write("Description", LEFT, top, head);
  page.write("Credits", COLUMNS.quantity, top, { ...head, align: "right" });
  page.write("Unit price", COLUMNS.unit, top, { ...head, align: "right" });
  page.write("Amount", COLUMNS.amount, top, { ...head, align: "right" });
  page.rule(top + 9);
  const row = top + 28;
  page.write("Prepaid credits", LEFT, row);
  page.write(automatic ? "Automatic top-up" : "Top-up", LEFT, row + 14, { size: 9, gray: true });
  page.write(grouped(String(credits)), COLUMNS.quantity, row, { align: "right" });
  page.write("USD 0.01", COLUMNS.unit, row, { align: "right" });
  page.write(usd(credits), COLUMNS.amount, row, { align: "right" });
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
    const row = top + 22 + 18 * index;
    page.write(name, COLUMNS.quantity - 30, row, { bold });
    page.write(amount, COLUMNS.amount, row, { bold, align: "right" });
  }
  const means = method === "card" ? `by card ending in ${card}` : "by cryptocurrency";
  page.write(`Paid ${means} on ${dateOf(at)}.`, LEFT, top + 100, { gray: true });
}

function usd(credits: number): string {
  const cents = String(credits).padStart(3, "0");
  return `USD ${grouped(cents.slice(0, -2))}.${cents.slice(-2)}`;
}

function grouped(digits: string): string {
  return Number(digits).toLocaleString("en-US");
}

/** The day in UTC. */
function dateOf(at: string): string {
  return at.slice(0, "2026-01-01".length);
}
