import { invariant, UnknownIdError } from "../checks.js";
import type { Buyer, StoredPayment } from "./schemas.js";
import type { Billing, Invoice } from "./types.js";

/** Invoices are unavailable until the billing information is saved. */
export class BillingIncompleteError extends Error {
  override readonly name = "BillingIncompleteError";

  constructor() {
    super(
      "Failed to get invoices: the billing information is incomplete. It needs `name`, `address_line_1`, `city` and `country`",
    );
  }
}

/** All invoices of an account, oldest first. @throws BillingIncompleteError */
export function listInvoices({ purchases }: Buyer): Invoice[] {
  requireBilling(purchases.billing);
  const invoices = purchases.payments.filter(({ status }) => status === "completed").map(invoiceOf);
  return invoices.sort((one, other) => numberOf(one) - numberOf(other));
}

/** An invoice as a PDF: the same bytes each time, until the billing information changes. @throws BillingIncompleteError */
export async function invoicePdf({ purchases }: Buyer, invoiceId: string): Promise<Uint8Array<ArrayBuffer>> {
  const billing = requireBilling(purchases.billing);
  const payment = purchases.payments.find(({ invoice_id: id }) => id === invoiceId);
  if (payment === undefined) throw new UnknownIdError("invoice", invoiceId, "the account");
  const { writeInvoice } = await import("./invoice-pdf.js");
  return writeInvoice({ ...payment, ...invoiceOf(payment) }, { ...billing });
}

function requireBilling(billing: Billing | null): Billing {
  if (billing === null) throw new BillingIncompleteError();
  return billing;
}

function invoiceOf({ invoice_id, payment_id, ended_at: at, usd, credits, method }: StoredPayment): Invoice {
  invariant(invoice_id !== null && at !== null, "a completed payment has its invoice");
  return { invoice_id, payment_id, at, usd, credits, method };
}

function numberOf({ invoice_id: id }: Invoice): number {
  return Number(id.replace(/\D/g, ""));
}
