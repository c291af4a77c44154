import type { Balance, Usage } from "../../../src/contract/account.js";
import type { Account } from "./account.js";

/** The credits of an account as the wire has them (Resources: Balance). */
export function balanceData({ ledger: { available, frozen } }: Account): Balance {
  return { available, frozen, total: available + frozen };
}

/** What an account has used, as the wire has it (Resources: Usage). */
export function usageData({ tasksCreated, creditsUsed, ledger }: Account): Usage {
  return { tasks_created: tasksCreated, credits_used: creditsUsed, credits_topped_up: ledger.toppedUp };
}
