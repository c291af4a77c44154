/**
 * The whole service in this process.
 *
 * @module async-music/emulator
 */

export type { ConductRule, Finding } from "./audit/conduct.js";
export type { Clock, ClockMode, EmulatorClock } from "./clock/clock.js";
export type { AccountPurchases, AutoTopUpView, Invoice, Payment } from "./control/account-purchases.js";
export type { AccountView, KeyView } from "./control/account-view.js";
export type {
  AccountChanges,
  Accounts,
  CreatedAccount,
  CreatedKey,
} from "./control/accounts.js";
export type { Faults } from "./control/faults.js";
export type { Provider, Providers } from "./control/providers.js";
export { createEmulator } from "./create-emulator.js";
export type { Connection, Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";
export type { EmulatorState } from "./emulator-state.js";
export type { Fault, FaultRule } from "./faults/fault.js";
export type { Limits } from "./limits/limits.js";
export type { LoggedRequest } from "./log/logged-request.js";
export type { AutoTopUpChange } from "./payments/auto-top-up.js";
export type { BillingInformation } from "./payments/billing.js";
export type { Billing } from "./payments/buyer.js";
export { BillingIncompleteError } from "./payments/invoices.js";
export type { TopUp } from "./payments/top-up.js";
export type { Policy } from "./policy/policy.js";
export type { Outcome } from "./providers/outcome.js";
export type { ResetOptions } from "./state/create-state.js";
export type { Snapshot } from "./state/snapshot.js";
