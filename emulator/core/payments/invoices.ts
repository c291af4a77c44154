import { invariant } from "../invariant.js";
import { UnknownIdError } from "../options/unknown-id.js";
import type { Billing, Buyer, PaidPayment, StoredPayment } from "./buyer.js";

/** Invoices can't be had before it is known to whom they are made out. */
export class BillingIncompleteError extends Error {
  override readonly name = "BillingIncompleteError";

  constructor() {
    super(
      "Failed to get invoices: the billing information is incomplete. It needs `name`, `address_line_1`, `city` and `country`",
    );
  }
}

/** All invoices of an account, oldest first. @throws BillingIncompleteError */
export function listInvoices({ purchases }: Buyer): { billing: Billing; invoices: PaidPayment[] } {
  const { billing, payments } = purchases;
  if (billing === null) throw new BillingIncompleteError();
  const invoices = payments.filter(isPaid).sort((a, b) => numberOf(a) - numberOf(b));
  return { billing, invoices };
}

/** An invoice as a PDF: the same bytes each time, until the billing information changes. @throws BillingIncompleteError */
export async function invoicePdf(buyer: Buyer, invoiceId: string): Promise<Uint8Array<ArrayBuffer>> {
  const { billing, invoices } = listInvoices(buyer);
  const payment = invoices.find((each) => each.invoiceId === invoiceId);
  if (payment === undefined) throw new UnknownIdError("invoice", invoiceId, "the account");
  const { writeInvoice } = await import("./pdf/write-invoice.js");
  return writeInvoice(payment, { ...billing });
}

function isPaid(payment: StoredPayment): payment is PaidPayment {
  if (payment.status !== "completed") return false;
  invariant(payment.invoiceId !== null && payment.endedAt !== null, "a completed payment has its invoice");
  return true;
}

function numberOf({ invoiceId }: PaidPayment): number {
  return Number(invoiceId.replace(/\D/g, ""));
}
