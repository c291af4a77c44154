import { randomStream, randomUuid } from "../../time/random.js";
import { invariant } from "../invariant.js";
import { topUp } from "../ledger/ledger.js";
import { pauseAutoTopUp } from "./auto-top-up.js";
import type { Buyer, PaymentSource, PaymentStatus, StoredPayment } from "./buyer.js";

/** A payment that begins. */
export type PaymentOrder = Pick<StoredPayment, "credits" | "method" | "automatic">;

/** Begins a payment, and ends it at once unless it is to stay pending. */
export function pay(
  source: PaymentSource,
  buyer: Buyer,
  order: PaymentOrder,
  outcome: PaymentStatus,
  now: number,
): StoredPayment {
  const ordinal = source.counts.payments++;
  const payment: StoredPayment = {
    id: randomUuid(source.seed, "payment", ordinal),
    ...order,
    status: "pending",
    card: order.method === "card" ? cardOf(source, buyer, order, ordinal) : null,
    createdAt: now,
    endedAt: null,
    invoiceId: null,
  };
  buyer.purchases.payments.push(payment);
  if (outcome !== "pending") endPayment(source, buyer, payment, outcome, now);
  return payment;
}

/** Ends a pending payment: the credits are there, with an invoice over them, or nothing is. */
export function endPayment(
  { counts }: PaymentSource,
  buyer: Buyer,
  payment: StoredPayment,
  outcome: "completed" | "refused",
  now: number,
): void {
  invariant(payment.status === "pending", "a payment ends once");
  payment.status = outcome;
  payment.endedAt = now;
  const { purchases, ledger } = buyer;
  if (outcome === "refused") {
    if (payment.method === "card") pauseAutoTopUp(purchases, now);
    return;
  }
  topUp(ledger, payment.credits, now);
  payment.invoiceId = `AM-${String(++counts.invoices).padStart(6, "0")}`;
  if (payment.card !== null) purchases.savedCard = { last4: payment.card, refuses: false };
}

/** Each top-up by hand is paid with a card of its own; the automatic ones with the saved card. */
function cardOf({ seed }: PaymentSource, { purchases }: Buyer, order: PaymentOrder, ordinal: number): string {
  if (!order.automatic) {
    return String(Math.floor(10_000 * randomStream(seed, "card", ordinal)())).padStart(4, "0");
  }
  invariant(purchases.savedCard !== null, "only a saved card is charged automatically");
  return purchases.savedCard.last4;
}
