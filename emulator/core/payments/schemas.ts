import * as z from "zod/mini";
import { flag, isoTimeSchema, list, NAMED, objectOf, oneOf, text, uuid, wholeNumber } from "../checks.js";
import { creditsSchema, type Ledger } from "../ledger.js";
import type { Policy } from "../policy-fields.js";

export const CREDITS_PER_USD = 100;

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

export const invoiceSchema = z.extend(
  z.pick(paymentSchema, { payment_id: true, at: true, usd: true, credits: true, method: true }),
  {
    invoice_id: text,
  },
);
invoiceSchema.register(NAMED, { id: "Invoice" });

const MOST_USD = 1_000_000;
const usdRule = `be US dollars and whole cents, 0.01 to ${MOST_USD}`;

export const topUpSchema = objectOf({
  usd: z.number(usdRule).check(z.gte(0.01, usdRule), z.lte(MOST_USD, usdRule), z.multipleOf(0.01, usdRule)),
  method: methodSchema,
  outcome: z.optional(statusSchema),
});

export const paymentChangeSchema = objectOf({ status: oneOf("completed", "refused") });

/** The bounds of Limits: Automatic Top-Up. */
export type AutoTopUpAmounts = z.output<typeof amountsSchema>;
const amountsSchema = objectOf({
  threshold_credits: wholeNumber(50, 1e9),
  recharge_usd: wholeNumber(10, 1000),
  monthly_cap_usd: wholeNumber(10, 10_000),
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
}).register(NAMED, { id: "AutoTopUp" });

export const autoTopUpChangeSchema = objectOf({
  enabled: flag,
  threshold_credits: z.nullish(amounts.threshold_credits),
  recharge_usd: z.nullish(amounts.recharge_usd),
  monthly_cap_usd: z.nullish(amounts.monthly_cap_usd),
  authorization: z.nullish(text),
});

/** All lines of this length fit on the page of an invoice. */
const LONGEST_LINE = 100;
const requiredRule = `be text that is not blank, of ${LONGEST_LINE} characters at most`;
const requiredLine = z
  .string(requiredRule)
  .check(z.regex(/\S/, requiredRule), z.maxLength(LONGEST_LINE, requiredRule), z.trim());
const optionalRule = `be text of ${LONGEST_LINE} characters at most`;
const optionalLine = z._default(
  z
    .nullable(z.string(optionalRule).check(z.maxLength(LONGEST_LINE, optionalRule), z.trim()))
    .check(z.overwrite((line) => line || null)),
  null,
);

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
const storedPaymentSchema = z.extend(paymentSchema, { ended_at: z.nullable(isoTimeSchema) });
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

export interface Buyer {
  ledger: Ledger;
  purchases: Purchases;
}

export interface PaymentSource {
  seed: number;
  counts: { payments: number; invoices: number; authorizations: number };
  policy: Policy;
}

export function createPurchases(): Purchases {
  return {
    payments: [],
    saved_card: null,
    auto_top_up: { enabled: false, amounts: null, paused_until: null },
    authorizations: [],
    billing: null,
  };
}
