import { expect } from "vitest";
import type { Kit } from "../kit.js";
import type { Open } from "../world.js";

/** Writing a PDF loads a library and fonts, which not every runtime supports. */
export function describeInvoices(open: Open, { it }: Kit): void {
  it("an invoice is a PDF with the buyer's name in Latin and Arabic letters", async () => {
    const { emulator } = await open();
    const { accounts, accountId: id } = emulator;
    const address = { address_line_1: "Piotrkowska 12", city: "Łódź", country: "Polska" };
    accounts.setBilling(id, { name: "شركة الموسيقى", ...address });
    const { invoice_id } = accounts.topUp(id, { usd: 10, method: "card" });
    const bytes = await accounts.invoicePdf(id, invoice_id ?? "");
    const text = new TextDecoder("latin1").decode(bytes);
    expect(text.slice(0, 8)).toBe("%PDF-1.7");
    const fonts = [...text.matchAll(/\/FontName \/[A-Z]{6}\+(\S+)/g)].map(([, name]) => name);
    expect([...new Set(fonts)].sort()).toEqual(["OpenSans-Regular", "Rubik-Regular"]);
    expect(await accounts.invoicePdf(id, invoice_id ?? "")).toEqual(bytes);
  });
}
