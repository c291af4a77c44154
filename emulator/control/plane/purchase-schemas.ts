import * as z from "zod/mini";
import { objectOf, text } from "../../core/checks.js";
import { billingSchema } from "../../core/payments/schemas.js";

export {
  autoTopUpSchema as autoTopUp,
  billingSchema as billing,
  invoiceSchema as invoice,
  paymentSchema as payment,
} from "../../core/payments/schemas.js";

const nullableText = z.nullable(text);

export const maybeBilling = objectOf({
  ...billingSchema.shape,
  name: nullableText,
  address_line_1: nullableText,
  city: nullableText,
  country: nullableText,
});
