import { isoTime, parseIsoTime } from "../../time/clock.js";
import { randomStream, randomUuid } from "../../time/random.js";
import { invariant, UnknownIdError } from "../checks.js";
import { canTopUp, MOST_CREDITS, topUp } from "../ledger.js";
import type { Policy } from "../policy-fields.js";
import {
  type Buyer,
  CREDITS_PER_USD,
  type PaymentSource,
  type Purchases,
  type StoredPayment,
} from "./schemas.js";
import type { Payment, TopUp } from "./types.js";

/** For how long no charge is tried after a refused one (Limits: failure protections). */
const PAUSE_MS = 3_600_000;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;

/** @throws RangeError for more credits than an account can be given; nothing is then changed. */
export function topUpByHand(source: PaymentSource, buyer: Buyer, order: TopUp, now: number): StoredPayment {
  const { usd, method, outcome = "completed" } = order;
  const credits = Math.round(usd * CREDITS_PER_USD);
  if (outcome === "completed") checkCanTopUp(buyer, credits);
  return pay(source, buyer, { credits, method, automatic: false }, outcome, now);
}

/** Completes or refuses a pending payment. @throws RangeError for any other; nothing is then changed. */
export function decidePayment(
  source: PaymentSource,
  buyer: Buyer,
  paymentId: string,
  status: "completed" | "refused",
  now: number,
): StoredPayment {
  const payment = buyer.purchases.payments.find((each) => each.payment_id === paymentId);
  if (payment === undefined) throw new UnknownIdError("payment", paymentId, "the account");
  if (payment.status !== "pending") {
    throw new RangeError(
      `Failed to change the payment: it is ${payment.status}, and only a pending one can be`,
    );
  }
  if (status === "completed") checkCanTopUp(buyer, payment.credits);
  endPayment(source, buyer, payment, status, now);
  return payment;
}

/**
 * Charges the saved card once if a freeze has left less than the threshold available. The month's cap and the pause
 * after a refused charge prevent it.
 */
export function rechargeAfterFreeze(source: PaymentSource, buyer: Buyer, now: number): void {
  const { saved_card: card, auto_top_up: autoTopUp } = buyer.purchases;
  const { enabled, amounts } = autoTopUp;
  if (!enabled || amounts === null || card === null) return;
  if (buyer.ledger.available >= amounts.threshold_credits || pausedUntil(buyer.purchases, now) !== null)
    return;
  const charged = chargedThisMonthUsd(buyer.purchases, source.policy, now);
  if (charged + amounts.recharge_usd > amounts.monthly_cap_usd) return;

  const credits = amounts.recharge_usd * CREDITS_PER_USD;
  if (!canTopUp(buyer.ledger, credits)) return;
  const outcome = card.refuses ? "refused" : "completed";
  pay(source, buyer, { credits, method: "card", automatic: true }, outcome, now);
}

/** Until when no automatic charge is tried; null if none was refused within the last hour. */
export function pausedUntil({ auto_top_up: autoTopUp }: Purchases, now: number): string | null {
  const { paused_until: until } = autoTopUp;
  return until !== null && isoTime(now) < until ? until : null;
}

/** What was charged automatically in the month, as `policy.auto_top_up_month` defines it. */
export function chargedThisMonthUsd({ payments }: Purchases, policy: Policy, now: number): number {
  const isThisMonth =
    policy.auto_top_up_month === "calendar_utc"
      ? (at: string) => monthOf(at) === monthOf(isoTime(now))
      : (at: string) => parseIsoTime(at) > now - THIRTY_DAYS_MS;
  const charged = payments.filter(
    ({ automatic, status, at }) => automatic && status === "completed" && isThisMonth(at),
  );
  return charged.reduce((sum, { credits }) => sum + credits, 0) / CREDITS_PER_USD;
}

function monthOf(at: string): string {
  return at.slice(0, "2026-01".length);
}

function checkCanTopUp({ ledger }: Buyer, credits: number): void {
  if (canTopUp(ledger, credits)) return;
  throw new RangeError(
    `Failed to top up by ${credits} credits: the account has been given ${ledger.toppedUp}, and ${MOST_CREDITS} is the most`,
  );
}

/** Begins a payment, and ends it at once unless it is to stay pending. */
function pay(
  source: PaymentSource,
  buyer: Buyer,
  order: Pick<Payment, "credits" | "method" | "automatic">,
  outcome: Payment["status"],
  now: number,
): StoredPayment {
  const { credits, method, automatic } = order;
  const ordinal = source.counts.payments++;
  const payment: StoredPayment = {
    payment_id: randomUuid(source.seed, "payment", ordinal),
    at: isoTime(now),
    usd: credits / CREDITS_PER_USD,
    credits,
    method,
    status: "pending",
    automatic,
    card: method === "card" ? cardOf(source, buyer, automatic, ordinal) : null,
    invoice_id: null,
    ended_at: null,
  };
  buyer.purchases.payments.push(payment);
  if (outcome !== "pending") endPayment(source, buyer, payment, outcome, now);
  return payment;
}

/** Ends a pending payment: completed, it adds its credits and has an invoice. */
function endPayment(
  { counts }: PaymentSource,
  { purchases, ledger }: Buyer,
  payment: StoredPayment,
  status: "completed" | "refused",
  now: number,
): void {
  invariant(payment.status === "pending", "a payment ends once");
  payment.status = status;
  payment.ended_at = isoTime(now);
  if (status === "refused") {
    if (payment.method === "card") purchases.auto_top_up.paused_until = isoTime(now + PAUSE_MS);
    return;
  }
  topUp(ledger, payment.credits, now);
  payment.invoice_id = `AM-${String(++counts.invoices).padStart(6, "0")}`;
  if (payment.card !== null) purchases.saved_card = { last4: payment.card, refuses: false };
}

/** Each top-up by hand is paid with a card of its own; the automatic ones with the saved card. */
function cardOf({ seed }: PaymentSource, { purchases }: Buyer, automatic: boolean, ordinal: number): string {
  if (!automatic) return String(Math.floor(10_000 * randomStream(seed, "card", ordinal)())).padStart(4, "0");
  invariant(purchases.saved_card !== null, "only a saved card is charged automatically");
  return purchases.saved_card.last4;
}
