import * as z from "zod/mini";
import { objectOf } from "../../options/object-of.js";
import { oneOf } from "../../options/one-of.js";
import { autoTopUpAmounts } from "../../payments/auto-top-up.js";
import { PAYMENT_METHODS, PAYMENT_STATUSES } from "../../payments/buyer.js";
import { credits, flag, list, nullableText, text, time } from "./parts.js";

const payment = objectOf({
  id: text,
  credits,
  method: oneOf(...PAYMENT_METHODS),
  status: oneOf(...PAYMENT_STATUSES),
  automatic: flag,
  card: nullableText,
  createdAt: time,
  endedAt: z.nullable(time),
  invoiceId: nullableText,
});

/** What an account has bought, and how it is to be charged. */
export const purchasesSchema = objectOf({
  payments: list(payment),
  savedCard: z.nullable(objectOf({ last4: text, refuses: flag })),
  autoTopUp: objectOf({
    enabled: flag,
    settings: z.nullable(objectOf(autoTopUpAmounts)),
    pausedUntil: z.nullable(time),
  }),
  authorizations: list(text),
  billing: z.nullable(
    objectOf({
      name: text,
      address_line_1: text,
      address_line_2: nullableText,
      postal_code: nullableText,
      city: text,
      country: text,
      tax_id: nullableText,
    }),
  ),
});
