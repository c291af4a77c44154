/**
 * An emulator of the whole service, in this process.
 *
 * @module async-music/emulator
 */

export type { Fetch } from "../src/contract/fetch.js";
export { type ComplianceOptions, checkCompliance } from "./control/compliance.js";
export { createEmulator } from "./control/create-emulator.js";
export type {
  AccountChanges,
  AccountPurchases,
  Accounts,
  AccountView,
  Connection,
  CreatedAccount,
  CreatedKey,
  Emulator,
  EmulatorOptions,
  EmulatorState,
  Faults,
  KeyView,
  Provider,
  Providers,
  Scope,
} from "./control/emulator.js";
export type { Fault, FaultRule } from "./core/faults.js";
export type { ComplianceRule, Finding } from "./core/log/audit.js";
export type { LoggedRequest } from "./core/log/request-log.js";
export { BillingIncompleteError } from "./core/payments/payments.js";
export type {
  AutoTopUpChange,
  AutoTopUpView,
  Billing,
  BillingInformation,
  Invoice,
  Payment,
  RefusedCharge,
  TopUp,
} from "./core/payments/schemas.js";
export type { Policy, PolicyChanges } from "./core/policy-fields.js";
export type { Outcome, ScopedOutcome } from "./core/providers.js";
export type { Limits, LimitsChanges } from "./core/rate-limit.js";
export type {
  SeedAccount,
  SeedFault,
  SeedFile,
  SeedKey,
  SeedLimits,
  SeedOutcomes,
  SeedScript,
  SeedTask,
} from "./core/seed-file/schema.js";
export type { ResetOptions, Snapshot } from "./core/state.js";
export type { FutureChange } from "./future/future.js";
export type { Clock, ClockMode, EmulatorClock } from "./time/clock.js";
