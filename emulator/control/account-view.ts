import type { Balance, Usage } from "../../src/contract/account.js";
import type { Account, ApiKey } from "../core/accounts.js";
import { balanceData, usageData } from "../core/accounts.js";
import type { Core } from "../core/core.js";
import { applyTimeouts } from "../core/transitions.js";

/** An account as an observer sees it. */
export interface AccountView {
  account_id: string;
  suspended: boolean;
  balance: Balance;
  usage: Usage;
  keys: KeyView[];
  /** Every movement of credits, oldest first; `at` is ISO 8601. */
  ledger: {
    at: string;
    kind: "top_up" | "freeze" | "settle" | "refund";
    credits: number;
    task_id: string | null;
  }[];
}

/** A key as an observer sees it: without its value. */
export interface KeyView {
  key_id: string;
  disabled: boolean;
}

export function viewAccount(core: Core, account: Account): AccountView {
  return {
    ...summarizeAccount(core, account),
    ledger: account.ledger.entries.map((entry) => ({ ...entry })),
  };
}

/**
 * Looks at an account, but for the part that grows with each movement of its credits.
 *
 * @internal
 */
export function summarizeAccount(core: Core, account: Account): Omit<AccountView, "ledger"> {
  applyTimeouts(core, account, core.clock.now());
  const { id, suspended, keys } = account;
  return {
    account_id: id,
    suspended,
    balance: balanceData(account),
    usage: usageData(account),
    keys: keys.map(viewKey),
  };
}

export function viewKey({ id, disabled }: ApiKey): KeyView {
  return { key_id: id, disabled };
}
