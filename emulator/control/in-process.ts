import { MODELS } from "../../src/contract/service.js";
import { nearestName } from "../../src/contract/text.js";
import type { StoredAccount } from "../core/accounts.js";
import { checkOptionNames } from "../core/checks.js";
import { type Core, isRequestOf, requireAccount } from "../core/core.js";
import { remainingFaults } from "../core/faults.js";
import { invoicePdf } from "../core/payments/payments.js";
import { accountMethods, viewAccount } from "./account-methods.js";
import type { Accounts, Emulator, Faults, Provider, Scope } from "./emulator.js";
import { bind, type MethodContext } from "./method.js";
import { serviceMethods } from "./service-methods.js";

export function accountIn(core: Core, scope: Scope = {}): StoredAccount | null {
  const { accountId } = checkOptionNames(scope, ["accountId"]);
  return accountId === undefined ? null : requireAccount(core, accountId);
}

export function createFaults(context: MethodContext): Faults {
  const { core } = context;
  const clear = bind(context, serviceMethods.clearFaults);
  return {
    add: bind(context, serviceMethods.addFault),
    list: (scope) => remainingFaults(core.state.faults, accountIn(core, scope)?.id),
    clear: (scope) => clear(accountIn(core, scope)?.id),
  };
}

/** A misspelled name throws, also where no types are checked: `providerA` would be `undefined`. */
export function createProviders(context: MethodContext): Emulator["providers"] {
  const providers = {
    provider_a: createProvider(context, "provider_a"),
    provider_b: createProvider(context, "provider_b"),
  };
  return new Proxy(providers, {
    get(target, name, receiver) {
      const meant = typeof name === "string" && !(name in target) ? nearestName(name, MODELS) : null;
      if (meant === null) return Reflect.get(target, name, receiver);
      throw new RangeError(
        `Unknown provider \`${String(name).slice(0, 100)}\`. Did you mean \`emulator.providers.${meant}\`?`,
      );
    },
  });
}

function createProvider(context: MethodContext, model: string): Provider {
  const next = bind(context, serviceMethods.nextOutcome);
  const always = bind(context, serviceMethods.lastingOutcome);
  return {
    next: (outcome) => next(model, outcome),
    always: (outcome, scope) => always(model, outcome, accountIn(context.core, scope)?.id),
  };
}

export function createAccounts(context: MethodContext): Accounts {
  const { core } = context;
  const create = bind(context, accountMethods.createAccount);
  const payments = bind(context, accountMethods.listPayments);
  const invoices = bind(context, accountMethods.listInvoices);
  return {
    create: (options = {}) => create(checkOptionNames(options, ["credits"])),
    get: (accountId) => viewAccount(core, requireAccount(core, accountId)),
    list: () => core.state.accounts.map((account) => viewAccount(core, account)),
    requests(accountId) {
      const account = requireAccount(core, accountId);
      return core.state.requests.filter((each) => isRequestOf(core, account, each));
    },
    update: bind(context, accountMethods.updateAccount),
    createKey: bind(context, accountMethods.createKey),
    updateKey: bind(context, accountMethods.updateKey),
    deleteKey: bind(context, accountMethods.deleteKey),
    topUp: bind(context, accountMethods.topUp),
    updateTopUp: bind(context, accountMethods.updateTopUp),
    payments: (accountId) => payments(accountId).payments,
    authorize: bind(context, accountMethods.authorize),
    autoTopUp: bind(context, accountMethods.getAutoTopUp),
    setAutoTopUp: bind(context, accountMethods.setAutoTopUp),
    billing: (accountId) => structuredClone(requireAccount(core, accountId).purchases.billing),
    setBilling: bind(context, accountMethods.setBilling),
    invoices: (accountId) => invoices(accountId).invoices,
    invoicePdf: async (accountId, invoiceId) =>
      invoicePdf(requireAccount(core, accountId).purchases, invoiceId),
  };
}
