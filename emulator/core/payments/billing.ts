import * as z from "zod/mini";
import { objectOf } from "../options/object-of.js";
import { parseOption } from "../options/parse-option.js";
import type { Billing, Buyer } from "./buyer.js";

/** So that all of them fit on the page of an invoice. */
const LONGEST = 100;
const requiredRule = `be text that is not blank, of ${LONGEST} characters at most`;
const optionalRule = `be text of ${LONGEST} characters at most`;
const required = z
  .string(requiredRule)
  .check(z.regex(/\S/, requiredRule), z.maxLength(LONGEST, requiredRule));
const optional = z.optional(z.nullable(z.string(optionalRule).check(z.maxLength(LONGEST, optionalRule))));

/**
 * Limits: Invoice billing information.
 *
 * @internal
 */
export const billingSchema = objectOf({
  name: required,
  address_line_1: required,
  city: required,
  country: required,
  tax_id: optional,
  address_line_2: optional,
  postal_code: optional,
});

/** What invoices are to be made out to. A field of blanks is missing. */
export interface BillingInformation {
  /** The company's, or the legal name. */
  name: string;
  address_line_1: string;
  city: string;
  country: string;
  tax_id?: string | null | undefined;
  address_line_2?: string | null | undefined;
  postal_code?: string | null | undefined;
}

/** @throws RangeError that names what is missing; what was saved before then stays. */
export function saveBilling({ purchases }: Buyer, value: unknown): Billing {
  const given = parseOption("billing", billingSchema, value);
  const billing: Billing = {
    name: given.name.trim(),
    address_line_1: given.address_line_1.trim(),
    address_line_2: textOrNull(given.address_line_2),
    postal_code: textOrNull(given.postal_code),
    city: given.city.trim(),
    country: given.country.trim(),
    tax_id: textOrNull(given.tax_id),
  };
  purchases.billing = billing;
  return billing;
}

function textOrNull(value: string | null | undefined): string | null {
  const text = value?.trim() ?? "";
  return text === "" ? null : text;
}
