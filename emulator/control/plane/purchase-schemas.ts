import * as z from "zod/mini";
import { oneOf } from "../../core/options/one-of.js";
import { PAYMENT_METHODS, PAYMENT_STATUSES } from "../../core/payments/buyer.js";
import { time } from "./answer-schemas.js";

/** What the calls about purchases answer, for their description. */

const method = oneOf(...PAYMENT_METHODS);
const text = z.string();
const nullableText = z.nullable(text);
const amount = z.nullable(z.int());

export const payment = z.object({
  payment_id: z.uuid(),
  at: time,
  usd: z.number(),
  credits: z.int(),
  method,
  status: oneOf(...PAYMENT_STATUSES),
  automatic: z.boolean(),
  card: nullableText,
  invoice_id: nullableText,
});

export const autoTopUp = z.object({
  enabled: z.boolean(),
  threshold_credits: amount,
  recharge_usd: amount,
  monthly_cap_usd: amount,
  saved_card: nullableText,
  charged_this_month_usd: z.number(),
  paused_until: z.nullable(time),
});

const optional = { address_line_2: nullableText, postal_code: nullableText, tax_id: nullableText };

export const billing = z.object({ name: text, address_line_1: text, city: text, country: text, ...optional });

export const maybeBilling = z.object({
  name: nullableText,
  address_line_1: nullableText,
  city: nullableText,
  country: nullableText,
  ...optional,
});

export const invoice = z.object({
  invoice_id: text,
  payment_id: z.uuid(),
  at: time,
  usd: z.number(),
  credits: z.int(),
  method,
});
