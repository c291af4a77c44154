import { InvoicePage, RIGHT, type TextLook } from "./invoice-page.js";
import type { Billing, Invoice, Payment } from "./schemas.js";

const SELLER = [
  "Music and Audio Generation Service",
  "1 Example Street",
  "00000 Example City",
  "Tax ID: 00 000 000",
];
const NOTE =
  "Issued by the async-music emulator for testing. The seller is a placeholder, no money was paid, and no tax is due.";

const SMALL: TextLook = { size: 9, gray: true };
const LEFT = 56;
const BUYER = 260;

/** Writes an invoice as a PDF. The only time in it is the invoice's, so that the same invoice is the same bytes. */
export async function writeInvoice(
  { invoice_id, payment_id, at, credits, automatic, method, card }: Invoice & Payment,
  { name, address_line_1, address_line_2, postal_code, city, country, tax_id }: Billing,
): Promise<Uint8Array<ArrayBuffer>> {
  const town = [postal_code, city].filter((part) => part !== null).join(" ");
  const taxId = tax_id === null ? null : `Tax ID: ${tax_id}`;
  const buyer = [name, address_line_1, address_line_2, town, country, taxId].filter((line) => line !== null);
  const page = await InvoicePage.create(`Invoice ${invoice_id}`, at, buyer.join("\n"));

  const date = at.slice(0, "2026-01-01".length);
  const details = {
    "Invoice number": invoice_id,
    "Date of issue": date,
    "Date paid": date,
    Payment: payment_id,
  };
  page.write("H1", "Invoice", LEFT, 84, { size: 26 });
  page.table(Object.entries(details), [LEFT, 160], 116, 15);

  page.write("H2", "From", LEFT, 210, SMALL);
  const sellerEnd = page.writeAll("P", SELLER, LEFT, 227);
  page.write("H2", "Bill to", BUYER, 210, SMALL);
  const buyerEnd = page.writeAll("P", buyer, BUYER, 227);

  const top = Math.max(sellerEnd, buyerEnd) + 30;
  const total = usdOfCredits(credits);
  const item = `Prepaid credits, ${automatic ? "automatic top-up" : "top-up"}`;
  const items = [
    ["Description", "Credits", "Unit price", "Amount"],
    [item, credits.toLocaleString("en-US"), usdOfCredits(1), total],
  ];
  page.rule(top + 9);
  page.table(items, [LEFT, -350, -440, -RIGHT], top, 28);
  page.rule(top + 42);
  const sums = { Total: total, Paid: total, "Amount due": usdOfCredits(0) };
  page.table(Object.entries(sums), [320, -RIGHT], top + 68, 18);
  const means = method === "card" ? `by card ending in ${card}` : "by cryptocurrency";
  page.write("P", `Paid ${means} on ${date}.`, LEFT, top + 142, { gray: true });
  page.write("P", NOTE, LEFT, 790, { size: 8, gray: true });
  return page.toBytes();
}

function usdOfCredits(credits: number): string {
  return `USD ${(credits / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
}
