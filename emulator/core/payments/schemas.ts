import * as z from "zod/mini";
import { flag, isoTimeSchema, list, NAMED, objectOf, oneOf, text, uuid, wholeNumber } from "../checks.js";
import { creditsSchema } from "../ledger.js";
import { LONGEST_BILLING_LINE, RANGES } from "../ranges.js";

/** One payment for credits. */
export interface Payment {
  payment_id: string;
  /** When the payment was started: ISO 8601. */
  at: string;
  usd: number;
  credits: number;
  method: "card" | "crypto";
  status: "completed" | "refused" | "pending";
  /** Whether it is a charge of the automatic top-up. */
  automatic: boolean;
  /** The last four digits of the card; `null` for cryptocurrency. */
  card: string | null;
  /** `null` unless the payment is completed. */
  invoice_id: string | null;
}

/** The invoice of a completed payment. */
export interface Invoice {
  invoice_id: string;
  payment_id: string;
  /** When the payment was completed: ISO 8601. */
  at: string;
  usd: number;
  credits: number;
  method: "card" | "crypto";
}

/** A manual purchase of credits. */
export interface TopUp {
  /** The amount in US dollars, 0.01 to 1,000,000, in whole cents. One cent buys one credit. */
  usd: number;
  method: "card" | "crypto";
  /** The result of the payment. End a pending one with `updateTopUp`. @defaultValue "completed" */
  outcome?: "completed" | "refused" | "pending" | undefined;
}

/** The settings and the state of the automatic top-up. Amounts are `null` until they are first set. */
export interface AutoTopUpView {
  enabled: boolean;
  threshold_credits: number | null;
  recharge_usd: number | null;
  monthly_cap_usd: number | null;
  /** The last four digits of the charged card; `null` if none is saved. */
  saved_card: string | null;
  /** The charges that count towards the monthly cap. */
  charged_this_month_usd: number;
  /** The end of the pause after a refused charge: ISO 8601. `null` if charges are not paused. */
  paused_until: string | null;
  /** Whether the saved card refuses charges, as `saved_card: "refuses"` of `update` sets it. */
  saved_card_refuses: boolean;
  /** The card payment that was refused last, automatic or not; `null` for none. */
  last_refused_charge: RefusedCharge | null;
}

/** A refused card payment. */
export interface RefusedCharge {
  payment_id: string;
  /** When it was refused: ISO 8601. */
  at: string;
  usd: number;
  /** The last four digits of the card. */
  card: string;
  /** Whether it is a charge of the automatic top-up. */
  automatic: boolean;
}

/**
 * A change of the automatic top-up. Amounts that are omitted or `null` do not change. Until amounts are set, a change that enables the
 * top-up or sets an amount must have all three.
 */
export interface AutoTopUpChange {
  enabled: boolean;
  /** The card is charged when fewer credits than this are available. At least 50. */
  threshold_credits?: number | null | undefined;
  /** The amount of one charge, in whole US dollars, 10 to 1000. */
  recharge_usd?: number | null | undefined;
  /** The most to charge in a month, in whole US dollars, 10 to 10,000. At least `recharge_usd`. */
  monthly_cap_usd?: number | null | undefined;
  /** From `authorize`, valid for one change. Required to enable the top-up or to change an amount. */
  authorization?: string | null | undefined;
}

/** The billing information of invoices. A field has up to 100 characters; one with only whitespace counts as missing. */
export interface BillingInformation {
  /** The company name or legal name. */
  name: string;
  address_line_1: string;
  city: string;
  country: string;
  tax_id?: string | null | undefined;
  address_line_2?: string | null | undefined;
  postal_code?: string | null | undefined;
}

/** The saved billing information. */
export interface Billing {
  name: string;
  address_line_1: string;
  address_line_2: string | null;
  postal_code: string | null;
  city: string;
  country: string;
  tax_id: string | null;
}

const methodSchema = oneOf("card", "crypto");
const statusSchema = oneOf("completed", "refused", "pending");

export const paymentSchema = objectOf({
  payment_id: uuid,
  at: isoTimeSchema,
  usd: z.number(),
  credits: creditsSchema,
  method: methodSchema,
  status: statusSchema,
  automatic: flag,
  card: z.nullable(text),
  invoice_id: z.nullable(text),
}).register(NAMED, { id: "Payment" });

const invoiced = { payment_id: true, at: true, usd: true, credits: true, method: true } as const;
export const invoiceSchema = z.extend(z.pick(paymentSchema, invoiced), { invoice_id: text });
invoiceSchema.register(NAMED, { id: "Invoice" });

const [leastUsd, mostUsd] = RANGES.usd;
const usdRule = `be an amount in US dollars from ${leastUsd} to ${mostUsd}, in whole cents`;

function isInCents(usd: number): boolean {
  return Math.abs(100 * usd - Math.round(100 * usd)) < 1e-6;
}

export const topUpSchema = objectOf({
  usd: z
    .number(usdRule)
    // Not `multipleOf`: validators of JSON Schema find that 0.29 is no multiple of 0.01.
    .check(z.gte(leastUsd, usdRule), z.lte(mostUsd, usdRule), z.refine(isInCents, usdRule)),
  method: methodSchema,
  outcome: z.optional(statusSchema),
});

export const paymentChangeSchema = objectOf({ status: oneOf("completed", "refused") });

/** The bounds of Limits: Automatic Top-Up. */
export type AutoTopUpAmounts = z.output<typeof amountsSchema>;
export const amountsSchema = objectOf({
  threshold_credits: wholeNumber(...RANGES.threshold_credits),
  recharge_usd: wholeNumber(...RANGES.recharge_usd),
  monthly_cap_usd: wholeNumber(...RANGES.monthly_cap_usd),
});

const amounts = amountsSchema.shape;

export const autoTopUpSchema = objectOf({
  enabled: flag,
  threshold_credits: z.nullable(amounts.threshold_credits),
  recharge_usd: z.nullable(amounts.recharge_usd),
  monthly_cap_usd: z.nullable(amounts.monthly_cap_usd),
  saved_card: z.nullable(text),
  charged_this_month_usd: z.number(),
  paused_until: z.nullable(isoTimeSchema),
  saved_card_refuses: flag,
  last_refused_charge: z.nullable(
    objectOf({ payment_id: uuid, at: isoTimeSchema, usd: z.number(), card: text, automatic: flag }),
  ),
}).register(NAMED, { id: "AutoTopUp" });

export const autoTopUpChangeSchema = objectOf({
  enabled: flag,
  threshold_credits: z.nullish(amounts.threshold_credits),
  recharge_usd: z.nullish(amounts.recharge_usd),
  monthly_cap_usd: z.nullish(amounts.monthly_cap_usd),
  authorization: z.nullish(text),
});

const requiredRule = `be a string of 1 to ${LONGEST_BILLING_LINE} characters that is not blank`;
const requiredLine = z
  .string(requiredRule)
  .check(z.regex(/\S/, requiredRule), z.maxLength(LONGEST_BILLING_LINE, requiredRule), z.trim());
const optionalRule = `be a string of at most ${LONGEST_BILLING_LINE} characters`;
const shortLine = z.string(optionalRule).check(z.maxLength(LONGEST_BILLING_LINE, optionalRule), z.trim());
const optionalLine = z._default(z.nullable(shortLine).check(z.overwrite((line) => line || null)), null);

/** Limits: Invoice billing information. Parses what a caller passes into what is stored. */
export const billingSchema = objectOf({
  name: requiredLine,
  address_line_1: requiredLine,
  address_line_2: optionalLine,
  postal_code: optionalLine,
  city: requiredLine,
  country: requiredLine,
  tax_id: optionalLine,
}).register(NAMED, { id: "Billing" });

export type Purchases = z.output<typeof purchasesSchema>;
export type StoredPayment = z.output<typeof storedPaymentSchema>;
const storedPaymentSchema = z.extend(paymentSchema, {
  ended_at: z.nullable(isoTimeSchema),
  /** On its invoice: the billing information when it was completed, or else when it was first saved. */
  billing: z.nullable(billingSchema),
});
export const purchasesSchema = objectOf({
  payments: list(storedPaymentSchema),
  /** The card of the last completed card top-up, and whether its bank refuses further charges. */
  saved_card: z.nullable(objectOf({ last4: text, refuses: flag })),
  auto_top_up: objectOf({
    enabled: flag,
    /** What was last set, also while it is off. */
    amounts: z.nullable(amountsSchema),
    paused_until: z.nullable(isoTimeSchema),
  }),
  /** Issued and not used yet. */
  authorizations: list(text),
  billing: z.nullable(billingSchema),
});

export function createPurchases(): Purchases {
  return {
    payments: [],
    saved_card: null,
    auto_top_up: { enabled: false, amounts: null, paused_until: null },
    authorizations: [],
    billing: null,
  };
}
