import * as z from "zod/mini";
import * as accounts from "../core/accounts.js";
import {
  count,
  flag,
  isoTimeSchema,
  list,
  NAMED,
  normalizeId,
  objectOf,
  oneOf,
  text,
  UnknownIdError,
  uuid,
} from "../core/checks.js";
import { type Core, indexAccount, requireAccount } from "../core/core.js";
import { creditsSchema, ledgerEntrySchema } from "../core/ledger.js";
import * as payments from "../core/payments/payments.js";
import * as schemas from "../core/payments/schemas.js";
import { applyTimeouts } from "../core/transitions.js";
import { createResponse } from "../http/messages.js";
import { isoTime } from "../time/clock.js";
import type { AccountView, CreatedKey, KeyView } from "./emulator.js";
import { fileMethod, method } from "./method.js";

ledgerEntrySchema.register(NAMED, { id: "LedgerEntry" });
const balanceSchema = z
  .object({ available: creditsSchema, frozen: creditsSchema, total: creditsSchema })
  .register(NAMED, { id: "Balance" });
const usageSchema = z
  .object({ tasks_created: count, credits_used: count, credits_topped_up: creditsSchema })
  .register(NAMED, { id: "Usage" });
export const keySchema = z.object({ key_id: uuid, disabled: flag }).register(NAMED, { id: "Key" });
const keyChangesSchema = objectOf({
  disabled: z.optional(flag),
  name: z.optional(accounts.keyNameSchema),
}).check(z.refine((changes) => Object.keys(changes).length > 0, "have `disabled`, `name` or both"));
export const keyDetailsSchema = z.extend(keySchema, {
  name: text,
  last_four: text,
  created_at: isoTimeSchema,
  last_used_at: z.nullable(isoTimeSchema),
});
const createdKeySchema = z.object({ key_id: uuid, api_key: text });
export const accountSchema = z.object({
  account_id: uuid,
  suspended: flag,
  balance: balanceSchema,
  usage: usageSchema,
  keys: list(keySchema),
  ledger: list(ledgerEntrySchema),
});
accountSchema.register(NAMED, { id: "Account" });

const accountChangesSchema = objectOf({
  suspended: z.optional(flag),
  saved_card: z.optional(oneOf("accepts", "refuses")),
}).check(z.refine((changes) => Object.keys(changes).length > 0, "have `suspended`, `saved_card` or both"));

const line = z._default(z.nullable(text), null);
const emptyBillingSchema = z
  .extend(schemas.billingSchema, { name: line, address_line_1: line, city: line, country: line })
  .register(NAMED, { id: "MaybeBilling" });

export const accountMethods = {
  createAccount: method("POST /accounts", {
    summary: "Create an account with a key.",
    status: 201,
    body: objectOf({ credits: z.optional(creditsSchema) }),
    response: z.extend(createdKeySchema, { account_id: uuid }),
    run({ core }, _, { credits = 0 }) {
      const account = accounts.createAccount(core.state, credits, core.clock.now());
      core.state.accounts.push(account);
      indexAccount(core.index, account);
      return { account_id: account.id, ...addKey(core, account) };
    },
  }),
  updateAccount: method("PATCH /accounts/{account_id}", {
    summary: "Suspend or reactivate an account, or set whether its saved card accepts charges.",
    body: accountChangesSchema,
    response: accountSchema,
    run({ core }, [accountId], { suspended, saved_card: charges }) {
      const account = requireAccount(core, accountId);
      const { saved_card: card } = account.purchases;
      if (charges !== undefined) {
        if (card === null)
          throw new RangeError("The account has no saved card. Complete a card top-up first.");
        card.refuses = charges === "refuses";
      }
      account.suspended = suspended ?? account.suspended;
      return viewAccount(core, account);
    },
  }),
  createKey: method("POST /accounts/{account_id}/keys", {
    summary: "Create a key. Only this response shows its value.",
    status: 201,
    response: createdKeySchema,
    run: ({ core }, [accountId]) => addKey(core, requireAccount(core, accountId)),
  }),
  listKeys: method("GET /accounts/{account_id}/keys", {
    summary: "List all keys, oldest first, with the last four characters of their values.",
    response: z.object({ keys: list(keyDetailsSchema) }),
    run: ({ core }, [accountId]) => ({ keys: requireAccount(core, accountId).keys.map(keyDetails) }),
  }),
  updateKey: method("PATCH /accounts/{account_id}/keys/{key_id}", {
    summary: "Disable, enable or name a key.",
    body: keyChangesSchema,
    response: keySchema,
    run({ core }, [accountId, keyId], { disabled, name }) {
      const key = keyWithId(requireAccount(core, accountId), keyId);
      key.disabled = disabled ?? key.disabled;
      key.name = name ?? key.name;
      return viewKey(key);
    },
  }),
  deleteKey: method("DELETE /accounts/{account_id}/keys/{key_id}", {
    summary: "Delete a key permanently.",
    run({ core }, [accountId, keyId]) {
      const account = requireAccount(core, accountId);
      const key = keyWithId(account, keyId);
      account.keys = account.keys.filter((each) => each !== key);
      core.index.keys.delete(key.value);
    },
  }),

  topUp: method("POST /accounts/{account_id}/top-ups", {
    summary: "Buy credits. The payment completes at once, unless `outcome` is set.",
    status: 201,
    body: schemas.topUpSchema,
    response: schemas.paymentSchema,
    run: ({ core }, [accountId], order) => payments.topUpByHand(paymentContext(core, accountId), order),
  }),
  listPayments: method("GET /accounts/{account_id}/top-ups", {
    summary: "List all payments, automatic ones included, oldest first.",
    response: z.object({ payments: list(schemas.paymentSchema) }),
    run: ({ core }, [accountId]) => ({
      payments: requireAccount(core, accountId).purchases.payments.map(payments.viewPayment),
    }),
  }),
  updateTopUp: method("PATCH /accounts/{account_id}/top-ups/{payment_id}", {
    summary: "Complete or refuse a pending payment.",
    body: schemas.paymentChangeSchema,
    response: schemas.paymentSchema,
    run: ({ core }, [accountId, paymentId], { status }) =>
      payments.decidePayment(paymentContext(core, accountId), paymentId, status),
  }),
  setAutoTopUp: method("PUT /accounts/{account_id}/auto-top-up", {
    summary: "Change the automatic top-up. Enabling it or changing an amount requires a new authorization.",
    body: schemas.autoTopUpChangeSchema,
    response: schemas.autoTopUpSchema,
    run: ({ core }, [accountId], change) => payments.changeAutoTopUp(paymentContext(core, accountId), change),
  }),
  getAutoTopUp: method("GET /accounts/{account_id}/auto-top-up", {
    summary: "Read the automatic top-up.",
    response: schemas.autoTopUpSchema,
    run: ({ core }, [accountId]) => payments.viewAutoTopUp(paymentContext(core, accountId)),
  }),
  authorize: method("POST /accounts/{account_id}/authorizations", {
    summary: "Create an authorization for one change of the automatic top-up.",
    status: 201,
    response: z.object({ authorization: text }),
    run: ({ core }, [accountId]) => ({ authorization: payments.authorize(paymentContext(core, accountId)) }),
  }),
  setBilling: method("PUT /accounts/{account_id}/billing", {
    summary:
      "Save the billing information of invoices that have none yet. A field that contains only whitespace counts as missing.",
    body: schemas.billingSchema,
    response: schemas.billingSchema,
    run: ({ core }, [accountId], billing) =>
      payments.saveBilling(requireAccount(core, accountId).purchases, billing),
  }),
  getBilling: method("GET /accounts/{account_id}/billing", {
    summary: "Read the billing information. Every field is null until it is saved.",
    response: emptyBillingSchema,
    run: ({ core }, [accountId]) =>
      requireAccount(core, accountId).purchases.billing ?? emptyBillingSchema.parse({}),
  }),
  listInvoices: method("GET /accounts/{account_id}/invoices", {
    summary: "List the invoices: one for each completed payment.",
    needsBilling: true,
    response: z.object({ invoices: list(schemas.invoiceSchema) }),
    run: ({ core }, [accountId]) => ({
      invoices: payments.listInvoices(requireAccount(core, accountId).purchases),
    }),
  }),
  getInvoicePdf: fileMethod("GET /accounts/{account_id}/invoices/{invoice_id}.pdf", {
    summary: "Read an invoice as a PDF.",
    mediaType: "application/pdf",
    needsBilling: true,
    respond: async ({ core }, [accountId, invoiceId]) => {
      const pdf = await payments.invoicePdf(requireAccount(core, accountId).purchases, invoiceId);
      const response = createResponse(200, "application/pdf", pdf);
      response.headers["Content-Disposition"] = `inline; filename="${invoiceId}.pdf"`;
      return response;
    },
  }),
};

/** The account, after the refunds that were due before: a payment comes after them in the ledger. */
function paymentContext(core: Core, accountId: string): payments.PaymentContext {
  const account = requireAccount(core, accountId);
  const now = core.clock.now();
  applyTimeouts(core, account, now);
  return { state: core.state, account, now };
}

export function viewAccount(core: Core, account: accounts.StoredAccount): AccountView {
  const summary = summarizeAccount(core, account);
  return { ...summary, ledger: account.ledger.entries.map((entry) => ({ ...entry })) };
}

/** The account without its ledger, which grows with every movement of credits. */
export function summarizeAccount(core: Core, account: accounts.StoredAccount): Omit<AccountView, "ledger"> {
  applyTimeouts(core, account, core.clock.now());
  return {
    account_id: account.id,
    suspended: account.suspended,
    balance: accounts.balanceData(account),
    usage: accounts.usageData(account),
    keys: account.keys.map(viewKey),
  };
}

function viewKey({ id, disabled }: accounts.StoredKey): KeyView {
  return { key_id: id, disabled };
}

export function keyDetails(key: accounts.StoredKey): z.output<typeof keyDetailsSchema> {
  const { name, value, createdAt, lastUsedAt } = key;
  return {
    ...viewKey(key),
    name,
    last_four: value.slice(-4),
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
  };
}

function addKey({ state, index, clock }: Core, account: accounts.StoredAccount): CreatedKey {
  const key = accounts.createKey(state, clock.now());
  account.keys.push(key);
  index.keys.set(key.value, { account, key });
  return { key_id: key.id, api_key: key.value };
}

function keyWithId({ keys }: accounts.StoredAccount, keyId: string): accounts.StoredKey {
  const key = keys.find((each) => normalizeId(each.id) === normalizeId(keyId));
  if (key === undefined) throw new UnknownIdError("key", keyId, "account");
  return key;
}
