import type { Ledger } from "../ledger/ledger.js";
import type { Policy } from "../policy/policy.js";

/** An account, as far as it buys credits. */
export interface Buyer {
  id: string;
  ledger: Ledger;
  purchases: Purchases;
}

/** What an account has bought, and how it is to be charged. */
export interface Purchases {
  /** In the order of their beginning. */
  payments: StoredPayment[];
  /** The card of the last completed card top-up. */
  savedCard: SavedCard | null;
  autoTopUp: AutoTopUp;
  /** Given out and not yet used. */
  authorizations: string[];
  billing: Billing | null;
}

/** A payment in US dollars, each cent of which is one credit (What the service does). */
export interface StoredPayment {
  id: string;
  credits: number;
  method: PaymentMethod;
  status: PaymentStatus;
  automatic: boolean;
  /** The last four digits; `null` where it was no card. */
  card: string | null;
  createdAt: number;
  /** When it was completed or refused; `null` while it is pending. */
  endedAt: number | null;
  /** Only of a completed one. */
  invoiceId: string | null;
}

/** A payment that was completed, and so has an invoice. */
export type PaidPayment = StoredPayment & { invoiceId: string; endedAt: number };

export const PAYMENT_METHODS = ["card", "crypto"] as const;
export const PAYMENT_STATUSES = ["completed", "refused", "pending"] as const;

export type PaymentMethod = (typeof PAYMENT_METHODS)[number];
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export interface SavedCard {
  last4: string;
  /** Whether the bank refuses to be charged again. */
  refuses: boolean;
}

/** `settings` are what was last set, also while it is off. */
export interface AutoTopUp {
  enabled: boolean;
  settings: AutoTopUpSettings | null;
  /** Until when no charge is tried; `null` where nothing was refused. */
  pausedUntil: number | null;
}

export interface AutoTopUpSettings {
  thresholdCredits: number;
  rechargeUsd: number;
  monthlyCapUsd: number;
}

/** What an invoice is made out to. */
export interface Billing {
  name: string;
  address_line_1: string;
  address_line_2: string | null;
  postal_code: string | null;
  city: string;
  country: string;
  tax_id: string | null;
}

/** What payments are made from. */
export interface PaymentSource {
  seed: number;
  counts: { payments: number; invoices: number; authorizations: number };
  policy: Policy;
}

export const CREDITS_PER_USD = 100;

export function createPurchases(): Purchases {
  return {
    payments: [],
    savedCard: null,
    autoTopUp: { enabled: false, settings: null, pausedUntil: null },
    authorizations: [],
    billing: null,
  };
}
