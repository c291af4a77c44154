import { type AutoTopUpChange, authorize, changeAutoTopUp } from "../core/payments/auto-top-up.js";
import { type BillingInformation, saveBilling } from "../core/payments/billing.js";
import {
  type Billing,
  CREDITS_PER_USD,
  type PaidPayment,
  type StoredPayment,
} from "../core/payments/buyer.js";
import { invoicePdf, listInvoices } from "../core/payments/invoices.js";
import { chargedThisMonthUsd } from "../core/payments/recharge.js";
import { decidePayment, type TopUp, topUpByHand } from "../core/payments/top-up.js";
import type { World } from "../core/state/world.js";
import { isoTime } from "../time/clock.js";
import { requireAccount } from "./require-account.js";

/** One payment for credits. */
export interface Payment {
  payment_id: string;
  /** When it was begun: ISO 8601. */
  at: string;
  usd: number;
  credits: number;
  method: "card" | "crypto";
  status: "completed" | "refused" | "pending";
  /** Whether the automatic top-up made it. */
  automatic: boolean;
  /** The last four digits of the card; `null` where it was none. */
  card: string | null;
  /** Only of a completed payment. */
  invoice_id: string | null;
}

/** The automatic top-up as it is set. The amounts are `null` until they were set once. */
export interface AutoTopUpView {
  enabled: boolean;
  threshold_credits: number | null;
  recharge_usd: number | null;
  monthly_cap_usd: number | null;
  /** The last four digits of the card that is charged; `null` where none is saved. */
  saved_card: string | null;
  /** What counts towards the cap so far. */
  charged_this_month_usd: number;
  /** After a refused charge: until when none is tried. ISO 8601. */
  paused_until: string | null;
}

/** An invoice over a completed payment. */
export interface Invoice {
  invoice_id: string;
  payment_id: string;
  /** When it was paid: ISO 8601. */
  at: string;
  usd: number;
  credits: number;
  method: "card" | "crypto";
}

/** What an account buys, and how. Every method throws a RangeError for what can't be, and has then changed nothing. */
export interface AccountPurchases {
  /**
   * Buys credits: 1 for each cent. It is completed at once, with an invoice, unless the outcome says otherwise. The card
   * of a completed one is the account's saved card.
   */
  topUp(accountId: string, topUp: TopUp): Payment;
  /** Completes a pending payment, or refuses it. */
  updateTopUp(accountId: string, paymentId: string, change: { status: "completed" | "refused" }): Payment;
  /** All payments, the automatic ones too, oldest first. */
  payments(accountId: string): Payment[];
  /** A fresh authorization, good for one change of the automatic top-up. */
  authorize(accountId: string): { authorization: string };
  autoTopUp(accountId: string): AutoTopUpView;
  /** Switches the automatic top-up on or off, or changes its amounts. Enabling and changing need an authorization. */
  setAutoTopUp(accountId: string, change: AutoTopUpChange): AutoTopUpView;
  /** `null` until it was saved. */
  billing(accountId: string): Billing | null;
  setBilling(accountId: string, billing: BillingInformation): Billing;
  /** One for each completed payment. @throws BillingIncompleteError until the billing information is saved */
  invoices(accountId: string): Invoice[];
  /** Rejects where `invoices` throws, and with a RangeError for an id that the account does not have. */
  invoicePdf(accountId: string, invoiceId: string): Promise<Uint8Array<ArrayBuffer>>;
}

export function createAccountPurchases(world: World): AccountPurchases {
  const find = (accountId: string) => requireAccount(world, accountId);
  const viewAutoTopUp = (accountId: string) => autoTopUpView(world, accountId);
  return {
    topUp: (accountId, topUp) =>
      paymentView(topUpByHand(world.state, find(accountId), topUp, world.clock.now())),
    updateTopUp: (accountId, paymentId, change) =>
      paymentView(decidePayment(world.state, find(accountId), paymentId, change, world.clock.now())),
    payments: (accountId) => find(accountId).purchases.payments.map(paymentView),
    authorize: (accountId) => ({ authorization: authorize(world.state, find(accountId)) }),
    autoTopUp: viewAutoTopUp,
    setAutoTopUp(accountId, change) {
      changeAutoTopUp(find(accountId), change);
      return viewAutoTopUp(accountId);
    },
    billing: (accountId) => structuredClone(find(accountId).purchases.billing),
    setBilling: (accountId, billing) => ({ ...saveBilling(find(accountId), billing) }),
    invoices: (accountId) => listInvoices(find(accountId)).invoices.map(invoiceView),
    invoicePdf: async (accountId, invoiceId) => invoicePdf(find(accountId), invoiceId),
  };
}

function paymentView(payment: StoredPayment): Payment {
  const { id, createdAt, credits, method, status, automatic, card, invoiceId } = payment;
  return {
    payment_id: id,
    at: isoTime(createdAt),
    usd: credits / CREDITS_PER_USD,
    credits,
    method,
    status,
    automatic,
    card,
    invoice_id: invoiceId,
  };
}

function autoTopUpView(world: World, accountId: string): AutoTopUpView {
  const { purchases } = requireAccount(world, accountId);
  const { enabled, settings, pausedUntil } = purchases.autoTopUp;
  const now = world.clock.now();
  return {
    enabled,
    threshold_credits: settings?.thresholdCredits ?? null,
    recharge_usd: settings?.rechargeUsd ?? null,
    monthly_cap_usd: settings?.monthlyCapUsd ?? null,
    saved_card: purchases.savedCard?.last4 ?? null,
    charged_this_month_usd: chargedThisMonthUsd(purchases, world.state.policy, now),
    paused_until: pausedUntil !== null && now < pausedUntil ? isoTime(pausedUntil) : null,
  };
}

function invoiceView({ invoiceId, id, endedAt, credits, method }: PaidPayment): Invoice {
  return {
    invoice_id: invoiceId,
    payment_id: id,
    at: isoTime(endedAt),
    usd: credits / CREDITS_PER_USD,
    credits,
    method,
  };
}
