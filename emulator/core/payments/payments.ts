import { isoTime, parseIsoTime } from "../../time/clock.js";
import { randomStream, randomUuid } from "../../time/random.js";
import { invariant, UnknownIdError } from "../checks.js";
import { canTopUp, MOST_CREDITS, topUp } from "../ledger.js";
import type { Policy } from "../policy-fields.js";
import {
  type AutoTopUpAmounts,
  type Buyer,
  CREDITS_PER_USD,
  type PaymentSource,
  type Purchases,
  type StoredPayment,
} from "./schemas.js";
import type { AutoTopUpChange, AutoTopUpView, Billing, Invoice, Payment, TopUp } from "./types.js";

/** For how long no charge is tried after a refused one (Limits: failure protections). */
const PAUSE_MS = 3_600_000;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const MONTH_LENGTH = "2026-01".length;

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

export function viewAutoTopUp(purchases: Purchases, policy: Policy, now: number): AutoTopUpView {
  const { enabled, amounts } = purchases.auto_top_up;
  return {
    enabled,
    threshold_credits: amounts?.threshold_credits ?? null,
    recharge_usd: amounts?.recharge_usd ?? null,
    monthly_cap_usd: amounts?.monthly_cap_usd ?? null,
    saved_card: purchases.saved_card?.last4 ?? null,
    charged_this_month_usd: chargedThisMonthUsd(purchases, policy, now),
    paused_until: pausedUntil(purchases, now),
  };
}

export function authorize({ seed, counts }: PaymentSource, { purchases }: Buyer): string {
  const authorization = randomUuid(seed, "authorization", counts.authorizations++);
  purchases.authorizations.push(authorization);
  return authorization;
}

/** @throws RangeError for a change that is not allowed: nothing is then changed, and no authorization is used. */
export function changeAutoTopUp({ purchases }: Buyer, change: AutoTopUpChange): void {
  const { auto_top_up: current } = purchases;
  const amounts = mergeAmounts(current.amounts, change);
  if (change.enabled && purchases.saved_card === null) {
    throw new RangeError(
      "Failed to enable the automatic top-up: there is no saved card. Top up by card once, and its card is saved",
    );
  }
  const { authorization = null } = change;
  const isEnabling = change.enabled && !current.enabled;
  const isChanging = JSON.stringify(amounts) !== JSON.stringify(current.amounts);
  // One that is passed without need must be valid, and is used.
  if (isEnabling || isChanging || (change.enabled && authorization !== null)) {
    if (authorization === null || !purchases.authorizations.includes(authorization))
      throw new RangeError(
        "Failed to change the automatic top-up: it needs an `authorization` that is fresh, and each is good once",
      );
    purchases.authorizations = purchases.authorizations.filter((each) => each !== authorization);
  }
  purchases.auto_top_up = { ...current, enabled: change.enabled, amounts };
}

function mergeAmounts(current: AutoTopUpAmounts | null, change: AutoTopUpChange): AutoTopUpAmounts | null {
  const threshold = change.threshold_credits ?? current?.threshold_credits;
  const recharge = change.recharge_usd ?? current?.recharge_usd;
  const cap = change.monthly_cap_usd ?? current?.monthly_cap_usd;
  if (recharge !== undefined && cap !== undefined && cap < recharge) {
    throw new RangeError(
      `Expected \`monthly_cap_usd\` to be at least \`recharge_usd\`, got \`${cap}\` for \`${recharge}\``,
    );
  }
  if (threshold !== undefined && recharge !== undefined && cap !== undefined)
    return { threshold_credits: threshold, recharge_usd: recharge, monthly_cap_usd: cap };
  if (change.enabled || [threshold, recharge, cap].some((amount) => amount !== undefined)) {
    throw new RangeError(
      "Expected `auto_top_up` to have all of `threshold_credits`, `recharge_usd` and `monthly_cap_usd`",
    );
  }
  return null;
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
function pausedUntil({ auto_top_up: autoTopUp }: Purchases, now: number): string | null {
  const { paused_until: until } = autoTopUp;
  return until !== null && isoTime(now) < until ? until : null;
}

/** What was charged automatically in the month, as `policy.auto_top_up_month` defines it. */
function chargedThisMonthUsd({ payments }: Purchases, policy: Policy, now: number): number {
  const isThisMonth =
    policy.auto_top_up_month === "calendar_utc"
      ? (at: string) => at.slice(0, MONTH_LENGTH) === isoTime(now).slice(0, MONTH_LENGTH)
      : (at: string) => parseIsoTime(at) > now - THIRTY_DAYS_MS;
  const charged = payments.filter(
    ({ automatic, status, at }) => automatic && status === "completed" && isThisMonth(at),
  );
  return charged.reduce((sum, { credits }) => sum + credits, 0) / CREDITS_PER_USD;
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
  const numberOf = ({ invoice_id: id }: Invoice) => Number(id.replace(/\D/g, ""));
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
