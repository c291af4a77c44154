import { parseOption } from "../core/checks.js";
import type { Core } from "../core/core.js";
import { authorize, changeAutoTopUp, viewAutoTopUp } from "../core/payments/auto-top-up.js";
import { invoicePdf, listInvoices } from "../core/payments/invoices.js";
import { decidePayment, topUpByHand } from "../core/payments/payments.js";
import {
  autoTopUpChangeSchema,
  billingSchema,
  paymentChangeSchema,
  type StoredPayment,
  topUpSchema,
} from "../core/payments/schemas.js";
import type {
  AutoTopUpChange,
  AutoTopUpView,
  Billing,
  BillingInformation,
  Invoice,
  Payment,
  TopUp,
} from "../core/payments/types.js";
import { requireAccount } from "./require-account.js";

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

export function createAccountPurchases(core: Core): AccountPurchases {
  const find = (accountId: string) => requireAccount(core, accountId);
  const autoTopUp = (accountId: string) =>
    viewAutoTopUp(find(accountId).purchases, core.state.policy, core.clock.now());
  return {
    topUp(accountId, topUp) {
      const order = parseOption("top_up", topUpSchema, topUp);
      return viewPayment(topUpByHand(core.state, find(accountId), order, core.clock.now()));
    },
    updateTopUp(accountId, paymentId, change) {
      const { status } = parseOption("top_up", paymentChangeSchema, change);
      return viewPayment(decidePayment(core.state, find(accountId), paymentId, status, core.clock.now()));
    },
    payments: (accountId) => find(accountId).purchases.payments.map(viewPayment),
    authorize: (accountId) => ({ authorization: authorize(core.state, find(accountId)) }),
    autoTopUp,
    setAutoTopUp(accountId, change) {
      changeAutoTopUp(find(accountId), parseOption("auto_top_up", autoTopUpChangeSchema, change));
      return autoTopUp(accountId);
    },
    billing: (accountId) => structuredClone(find(accountId).purchases.billing),
    setBilling(accountId, billing) {
      const saved = parseOption("billing", billingSchema, billing);
      find(accountId).purchases.billing = saved;
      return { ...saved };
    },
    invoices: (accountId) => listInvoices(find(accountId)),
    invoicePdf: async (accountId, invoiceId) => invoicePdf(find(accountId), invoiceId),
  };
}

function viewPayment({ ended_at: _, ...payment }: StoredPayment): Payment {
  return payment;
}
