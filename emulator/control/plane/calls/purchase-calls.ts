import * as z from "zod/mini";
import {
  autoTopUpChangeSchema,
  billingSchema,
  paymentChangeSchema,
  topUpSchema,
} from "../../../core/payments/schemas.js";
import type { HttpResponse } from "../../../http/messages.js";
import { createResponse } from "../../../http/messages.js";
import { call, callWithBody } from "../call.js";
import * as answer from "../purchase-schemas.js";

const ACCOUNT = "/accounts/{account_id}";

/** What accounts buy, and how. */
export const purchaseCalls = [
  callWithBody(
    {
      method: "POST",
      path: `${ACCOUNT}/top-ups`,
      summary: "Buy credits. Completed at once, unless the outcome says otherwise.",
      status: 201,
      answers: answer.payment,
      errors: [404],
    },
    topUpSchema,
    ({ emulator, params: [accountId = ""], body }) => emulator.accounts.topUp(accountId, body),
  ),
  call(
    {
      method: "GET",
      path: `${ACCOUNT}/top-ups`,
      summary: "All payments, the automatic ones too, oldest first.",
      status: 200,
      answers: z.object({ payments: z.array(answer.payment) }),
      errors: [404],
    },
    ({ emulator, params: [accountId = ""] }) => ({ payments: emulator.accounts.payments(accountId) }),
  ),
  callWithBody(
    {
      method: "PATCH",
      path: `${ACCOUNT}/top-ups/{payment_id}`,
      summary: "Complete a pending payment, or refuse it.",
      status: 200,
      answers: answer.payment,
      errors: [404],
    },
    paymentChangeSchema,
    ({ emulator, params: [accountId = "", paymentId = ""], body }) =>
      emulator.accounts.updateTopUp(accountId, paymentId, body),
  ),
  callWithBody(
    {
      method: "PUT",
      path: `${ACCOUNT}/auto-top-up`,
      summary: "Set the automatic top-up. Enabling it and changing an amount need a fresh authorization.",
      status: 200,
      answers: answer.autoTopUp,
      errors: [404],
    },
    autoTopUpChangeSchema,
    ({ emulator, params: [accountId = ""], body }) => emulator.accounts.setAutoTopUp(accountId, body),
  ),
  call(
    {
      method: "GET",
      path: `${ACCOUNT}/auto-top-up`,
      summary: "The automatic top-up as it is set.",
      status: 200,
      answers: answer.autoTopUp,
      errors: [404],
    },
    ({ emulator, params: [accountId = ""] }) => emulator.accounts.autoTopUp(accountId),
  ),
  call(
    {
      method: "POST",
      path: `${ACCOUNT}/authorizations`,
      summary: "Authorize one change of the automatic top-up.",
      status: 201,
      answers: z.object({ authorization: z.string() }),
      errors: [404],
    },
    ({ emulator, params: [accountId = ""] }) => emulator.accounts.authorize(accountId),
  ),
  callWithBody(
    {
      method: "PUT",
      path: `${ACCOUNT}/billing`,
      summary: "Save the billing information. A field of blanks is missing.",
      status: 200,
      answers: answer.billing,
      errors: [404],
    },
    billingSchema,
    ({ emulator, params: [accountId = ""], body }) => emulator.accounts.setBilling(accountId, body),
  ),
  call(
    {
      method: "GET",
      path: `${ACCOUNT}/billing`,
      summary: "The billing information; every field is null until it was saved.",
      status: 200,
      answers: answer.maybeBilling,
      errors: [404],
    },
    ({ emulator, params: [accountId = ""] }) => emulator.accounts.billing(accountId) ?? NO_BILLING,
  ),
  call(
    {
      method: "GET",
      path: `${ACCOUNT}/invoices`,
      summary: "One invoice for each completed payment.",
      status: 200,
      answers: z.object({ invoices: z.array(answer.invoice) }),
      errors: [404, 409],
    },
    ({ emulator, params: [accountId = ""] }) => ({ invoices: emulator.accounts.invoices(accountId) }),
  ),
  call(
    {
      method: "GET",
      path: `${ACCOUNT}/invoices/{invoice_id}.pdf`,
      summary: "An invoice as a PDF.",
      status: 200,
      answers: "application/pdf",
      errors: [404, 409],
    },
    async ({ emulator, params: [accountId = "", invoiceId = ""] }): Promise<HttpResponse> => {
      const pdf = await emulator.accounts.invoicePdf(accountId, invoiceId);
      const file = createResponse(200, "application/pdf", pdf);
      file.headers["Content-Disposition"] = `inline; filename="${invoiceId}.pdf"`;
      return file;
    },
  ),
];

const NO_BILLING = {
  name: null,
  address_line_1: null,
  address_line_2: null,
  postal_code: null,
  city: null,
  country: null,
  tax_id: null,
};
