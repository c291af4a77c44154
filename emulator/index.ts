/**
 * The whole service in this process.
 *
 * @module async-music/emulator
 */

export type { ConductRule, Finding } from "./audit/conduct.js";
export type { Clock, ClockMode, EmulatorClock } from "./clock/clock.js";
export type { Accounts, AccountView, CreatedAccount, CreatedKey } from "./control/accounts.js";
export type { Faults } from "./control/faults.js";
export type { Provider, Providers } from "./control/providers.js";
export { createEmulator } from "./create-emulator.js";
export type { Connection, Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";
export type { Fault, FaultRule } from "./faults/fault.js";
export type { Limits } from "./limits/limits.js";
export type { LoggedRequest } from "./log/logged-request.js";
export type { Policy } from "./policy/policy.js";
export type { Outcome } from "./providers/outcome.js";
export type { ResetOptions } from "./state/create-state.js";
export type { Snapshot } from "./state/snapshot.js";
