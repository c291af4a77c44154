import { isoTime, parseIsoTime } from "../../time/clock.js";
import { randomStream, randomUuid } from "../../time/random.js";
import {
  InvalidValueError,
  invalidField,
  invalidValue,
  invariant,
  normalizeId,
  UnknownIdError,
} from "../checks.js";
import { canTopUp, type Ledger, MOST_CREDITS, topUp } from "../ledger.js";
import type { Policy } from "../policy-fields.js";
import type { State } from "../state.js";
import { printingProblem } from "./printable.js";
import {
  type AutoTopUpAmounts,
  type AutoTopUpChange,
  type AutoTopUpView,
  amountsSchema,
  type Billing,
  type Invoice,
  type Payment,
  type Purchases,
  type RefusedCharge,
  type StoredPayment,
  type TopUp,
} from "./schemas.js";

const CREDITS_PER_USD = 100;

/** How long automatic charges pause after a refused charge (Limits: failure protections). */
const PAUSE_MS = 3_600_000;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const MONTH_LENGTH = "2026-01".length;

export interface PaymentContext {
  readonly state: Pick<State, "seed" | "counts" | "policy">;
  readonly account: { ledger: Ledger; purchases: Purchases; policy?: Policy | undefined };
  readonly now: number;
}

/** @throws RangeError for more credits than an account can be given; nothing is then changed. */
export function topUpByHand(context: PaymentContext, { usd, method, outcome = "completed" }: TopUp): Payment {
  const credits = Math.round(usd * CREDITS_PER_USD);
  const most = MOST_CREDITS - context.account.ledger.toppedUp;
  if (outcome === "completed" && credits > most) {
    const rule = `be at most ${most / CREDITS_PER_USD}, since an account receives at most ${MOST_CREDITS} credits`;
    throw invalidValue("usd", rule, usd);
  }
  return viewPayment(pay(context, { credits, method, automatic: false }, outcome));
}

/** Completes or refuses a pending payment. @throws RangeError for any other; nothing is then changed. */
export function decidePayment(context: PaymentContext, paymentId: string, status: Ending): Payment {
  const payment = context.account.purchases.payments.find(
    (each) => normalizeId(each.payment_id) === normalizeId(paymentId),
  );
  if (payment === undefined) throw new UnknownIdError("payment", paymentId, "account");
  if (payment.status !== "pending") {
    throw new RangeError(`The payment is already ${payment.status}. Only a pending payment can be changed.`);
  }
  if (status === "completed" && !canTopUp(context.account.ledger, payment.credits)) {
    throw new RangeError(
      `The payment is too large: the account would have received more than ${MOST_CREDITS} credits. Refuse it.`,
    );
  }
  endPayment(context, payment, status);
  return viewPayment(payment);
}

export function viewPayment({ ended_at: _, billing: __, ...payment }: StoredPayment): Payment {
  return payment;
}

export function authorize({ state: { seed, counts }, account }: PaymentContext): string {
  const authorization = randomUuid(seed, "authorization", counts.authorizations++);
  account.purchases.authorizations.push(authorization);
  return authorization;
}

export function viewAutoTopUp(context: PaymentContext): AutoTopUpView {
  const { saved_card: card, auto_top_up: autoTopUp } = context.account.purchases;
  return {
    enabled: autoTopUp.enabled,
    ...(autoTopUp.amounts ?? { threshold_credits: null, recharge_usd: null, monthly_cap_usd: null }),
    saved_card: card?.last4 ?? null,
    charged_this_month_usd: chargedThisMonthUsd(context),
    paused_until: pausedUntil(context),
    saved_card_refuses: card?.refuses ?? false,
    last_refused_charge: lastRefusedCharge(context.account.purchases),
  };
}

function lastRefusedCharge({ payments }: Purchases): RefusedCharge | null {
  let last: RefusedCharge | null = null;
  for (const { status, payment_id, ended_at: at, usd, card, automatic } of payments) {
    if (status !== "refused" || at === null || card === null) continue;
    // A payment that was pending may have ended after later ones.
    if (last === null || at >= last.at) last = { payment_id, at, usd, card, automatic };
  }
  return last;
}

/** @throws RangeError for a change that is not allowed: nothing is then changed, and no authorization is used. */
export function changeAutoTopUp(context: PaymentContext, change: AutoTopUpChange): AutoTopUpView {
  const { purchases } = context.account;
  const { auto_top_up: current } = purchases;
  const amounts = mergeAmounts(current.amounts, change);
  const { enabled, authorization = null } = change;
  if (enabled && purchases.saved_card === null) {
    throw new RangeError(
      "Automatic top-up cannot be enabled: the account has no saved card. Complete a card top-up first.",
    );
  }
  const isChanging = JSON.stringify(amounts) !== JSON.stringify(current.amounts);
  // An authorization that is not needed must be valid, too, and is used up.
  if (isChanging || (enabled && (!current.enabled || authorization !== null))) {
    if (authorization === null || !purchases.authorizations.includes(authorization))
      throw invalidField(
        "authorization",
        "must be an unused authorization of the account. Create one for each change",
      );
    purchases.authorizations = purchases.authorizations.filter((each) => each !== authorization);
  }
  purchases.auto_top_up = { ...current, enabled, amounts };
  return viewAutoTopUp(context);
}

function mergeAmounts(current: AutoTopUpAmounts | null, change: AutoTopUpChange): AutoTopUpAmounts | null {
  const threshold_credits = change.threshold_credits ?? current?.threshold_credits;
  const recharge_usd = change.recharge_usd ?? current?.recharge_usd;
  const monthly_cap_usd = change.monthly_cap_usd ?? current?.monthly_cap_usd;
  if (Number(monthly_cap_usd) < Number(recharge_usd)) {
    const rule = `be at least the recharge, which is ${recharge_usd}`;
    throw invalidValue("monthly_cap_usd", rule, monthly_cap_usd);
  }
  const merged = amountsSchema.safeParse({ threshold_credits, recharge_usd, monthly_cap_usd });
  if (merged.success) return merged.data;
  if (change.enabled || (threshold_credits ?? recharge_usd ?? monthly_cap_usd) !== undefined) {
    throw new RangeError(
      "Automatic top-up needs all three amounts. Pass `threshold_credits`, `recharge_usd` and `monthly_cap_usd`.",
    );
  }
  return null;
}

/**
 * Charges the saved card once if a freeze has left less than the threshold available. The month's cap and the pause
 * after a refused charge prevent it.
 */
export function rechargeAfterFreeze(context: PaymentContext): void {
  const { ledger, purchases } = context.account;
  const { saved_card: card, auto_top_up: autoTopUp } = purchases;
  const { enabled, amounts } = autoTopUp;
  if (!enabled || amounts === null || card === null) return;
  if (ledger.available >= amounts.threshold_credits || pausedUntil(context) !== null) return;
  if (chargedThisMonthUsd(context) + amounts.recharge_usd > amounts.monthly_cap_usd) return;
  const credits = amounts.recharge_usd * CREDITS_PER_USD;
  if (canTopUp(ledger, credits))
    pay(context, { credits, method: "card", automatic: true }, card.refuses ? "refused" : "completed");
}

/** The end of the pause of automatic charges; null if no charge was refused within the last hour. */
function pausedUntil({ account, now }: PaymentContext): string | null {
  const { paused_until: until } = account.purchases.auto_top_up;
  return until !== null && isoTime(now) < until ? until : null;
}

/** What was charged automatically in the month, as `policy.auto_top_up_month` defines it. */
function chargedThisMonthUsd({ state, account, now }: PaymentContext): number {
  const month = isoTime(now).slice(0, MONTH_LENGTH);
  const isThisMonth = (at: string) =>
    (account.policy ?? state.policy).auto_top_up_month === "calendar_utc"
      ? at.startsWith(month)
      : parseIsoTime(at) > now - THIRTY_DAYS_MS;
  return account.purchases.payments
    .filter(({ automatic, status, at }) => automatic && status === "completed" && isThisMonth(at))
    .reduce((sum, { usd }) => sum + usd, 0);
}

type Ending = "completed" | "refused";
type PaymentOrder = Pick<Payment, "credits" | "method" | "automatic">;

/** Adds a payment, and ends it at once unless its status is `pending`. */
function pay(context: PaymentContext, order: PaymentOrder, status: Payment["status"]): StoredPayment {
  const { state, account, now } = context;
  const ordinal = state.counts.payments++;
  const payment: StoredPayment = {
    payment_id: randomUuid(state.seed, "payment", ordinal),
    at: isoTime(now),
    usd: order.credits / CREDITS_PER_USD,
    credits: order.credits,
    method: order.method,
    status: "pending",
    automatic: order.automatic,
    card: order.method === "card" ? cardOf(context, order) : null,
    invoice_id: null,
    ended_at: null,
    billing: null,
  };
  account.purchases.payments.push(payment);
  if (status !== "pending") endPayment(context, payment, status);
  return payment;
}

/** Each top-up by hand is paid with a card of its own; the automatic ones with the saved card. */
function cardOf({ state, account }: PaymentContext, { automatic }: PaymentOrder): string {
  const random = randomStream(state.seed, "card", account.purchases.payments.length);
  if (!automatic) return String(Math.floor(10_000 * random())).padStart(4, "0");
  const { saved_card: card } = account.purchases;
  invariant(card !== null, "only a saved card is charged automatically");
  return card.last4;
}

/** Ends a pending payment. A completed one adds its credits and gets an invoice. */
function endPayment({ state, account, now }: PaymentContext, payment: StoredPayment, status: Ending): void {
  const { ledger, purchases } = account;
  invariant(payment.status === "pending", "a payment ends once");
  payment.status = status;
  payment.ended_at = isoTime(now);
  if (status === "refused") {
    if (payment.method === "card") purchases.auto_top_up.paused_until = isoTime(now + PAUSE_MS);
    return;
  }
  topUp(ledger, payment.credits, now);
  payment.invoice_id = `AM-${String(++state.counts.invoices).padStart(6, "0")}`;
  payment.billing = purchases.billing;
  if (payment.card !== null) purchases.saved_card = { last4: payment.card, refuses: false };
}

/**
 * Saves the billing information of later invoices, and of earlier ones that have none.
 *
 * @throws RangeError for text that an invoice cannot show; nothing is then changed.
 */
export function saveBilling(purchases: Purchases, billing: Billing): Billing {
  const issues = Object.entries(billing).flatMap(([path, text]) => {
    const message = printingProblem(text ?? "");
    return message === null ? [] : [{ path, message }];
  });
  const [first] = issues;
  if (first !== undefined) throw new InvalidValueError(invalidField(first.path, first.message).text, issues);
  for (const payment of purchases.payments) if (payment.invoice_id !== null) payment.billing ??= billing;
  purchases.billing = billing;
  return { ...billing };
}

/** Invoices are unavailable until the billing information is saved. */
export class BillingIncompleteError extends Error {
  override readonly name = "BillingIncompleteError";

  constructor() {
    super("Invoices need billing information. Set `name`, `address_line_1`, `city` and `country` first.");
  }
}

/** All invoices of an account, oldest first. @throws BillingIncompleteError */
export function listInvoices({ billing, payments }: Purchases): Invoice[] {
  requireBilling(billing);
  const invoices = payments.filter(({ status }) => status === "completed").map(invoiceOf);
  const numberOf = ({ invoice_id: id }: Invoice) => Number(id.replace(/\D/g, ""));
  return invoices.sort((one, other) => numberOf(one) - numberOf(other));
}

/** An invoice as a PDF: the same bytes each time, whatever the billing information is now. @throws BillingIncompleteError */
export async function invoicePdf(purchases: Purchases, invoiceId: string): Promise<Uint8Array<ArrayBuffer>> {
  requireBilling(purchases.billing);
  const payment = purchases.payments.find(({ invoice_id: id }) => id === invoiceId);
  if (payment === undefined) throw new UnknownIdError("invoice", invoiceId, "account");
  const { writeInvoice } = await import("./invoice-pdf.js");
  return writeInvoice({ ...payment, ...invoiceOf(payment) }, requireBilling(payment.billing));
}

function requireBilling(billing: Billing | null): Billing {
  if (billing === null) throw new BillingIncompleteError();
  return billing;
}

function invoiceOf({ invoice_id, payment_id, ended_at: at, usd, credits, method }: StoredPayment): Invoice {
  invariant(invoice_id !== null && at !== null, "a completed payment has its invoice");
  return { invoice_id, payment_id, at, usd, credits, method };
}
