import type { Balance, Usage } from "../../src/contract/account.js";
import { type Account, type ApiKey, createAccount, createKey } from "../accounts/account.js";
import { balanceData, usageData } from "../accounts/account-data.js";
import { isoTime } from "../clock/clock.js";
import { checkCredits } from "../options/credits.js";
import { invalidOption } from "../options/invalid-option.js";
import { indexAccount, type World } from "../state/world.js";
import { applyHour } from "../tasks/look.js";

/** A new account with its first key. The only time that the key's value is shown. */
export interface CreatedAccount extends CreatedKey {
  account_id: string;
}

/** A new key. The only time that its value is shown. */
export interface CreatedKey {
  key_id: string;
  api_key: string;
}

/** An account as an observer sees it. */
export interface AccountView {
  account_id: string;
  suspended: boolean;
  balance: Balance;
  usage: Usage;
  keys: { key_id: string; disabled: boolean }[];
  /** Every movement of credits, oldest first; `at` is ISO 8601. */
  ledger: {
    at: string;
    kind: "top_up" | "freeze" | "settle" | "refund";
    credits: number;
    task_id: string | null;
  }[];
}

/** The emulator's accounts. Every method throws a RangeError for an id that there is not. */
export interface Accounts {
  /** An account of its own, with a key. @param options.credits - A whole number; 0 by default. */
  create(options?: { credits?: number | undefined }): CreatedAccount;
  /** Looks at an account; like every look, it applies the hour to its tasks. */
  get(accountId: string): AccountView;
  /** Looks at all accounts, in the order of their creation. */
  list(): AccountView[];
  /** A suspended account creates no tasks (403); everything else goes on. */
  update(accountId: string, changes: { suspended: boolean }): AccountView;
  /** One more key, which spends the account's credits and sees its tasks. */
  createKey(accountId: string): CreatedKey;
  /** A disabled key is answered with 401, until it is enabled again. */
  updateKey(accountId: string, keyId: string, changes: { disabled: boolean }): void;
  /** A deleted key is answered with 401, for ever. */
  deleteKey(accountId: string, keyId: string): void;
}

export function createAccounts(world: World): Accounts {
  return {
    create({ credits = 0 } = {}) {
      checkCredits(credits);
      const account = createAccount(world.state, credits, world.clock.now());
      world.state.accounts.push(account);
      indexAccount(world.index, account);
      return { account_id: account.id, ...addKey(world, account) };
    },
    get: (accountId) => viewAccount(world, requireAccount(world, accountId)),
    list: () => world.state.accounts.map((account) => viewAccount(world, account)),
    update(accountId, { suspended }) {
      const account = requireAccount(world, accountId);
      account.suspended = requireFlag("suspended", suspended);
      return viewAccount(world, account);
    },
    createKey: (accountId) => addKey(world, requireAccount(world, accountId)),
    updateKey(accountId, keyId, { disabled }) {
      requireKey(requireAccount(world, accountId), keyId).disabled = requireFlag("disabled", disabled);
    },
    deleteKey(accountId, keyId) {
      const account = requireAccount(world, accountId);
      const key = requireKey(account, keyId);
      account.keys = account.keys.filter((each) => each !== key);
      world.index.keys.delete(key.value);
    },
  };
}

function addKey({ state, index }: World, account: Account): CreatedKey {
  const key = createKey(state);
  account.keys.push(key);
  index.keys.set(key.value, { account, key });
  return { key_id: key.id, api_key: key.value };
}

function viewAccount(world: World, account: Account): AccountView {
  applyHour(world, account, world.clock.now());
  const { id, suspended, keys, ledger } = account;
  return {
    account_id: id,
    suspended,
    balance: balanceData(account),
    usage: usageData(account),
    keys: keys.map((key) => ({ key_id: key.id, disabled: key.disabled })),
    ledger: ledger.entries.map(({ at, kind, credits, taskId }) => ({
      at: isoTime(at),
      kind,
      credits,
      task_id: taskId,
    })),
  };
}

function requireAccount({ index }: World, accountId: string): Account {
  const account = index.accounts.get(accountId);
  if (account === undefined)
    throw new RangeError(`Failed to find the account: there is none with the id ${accountId}`);
  return account;
}

function requireKey({ keys }: Account, keyId: string): ApiKey {
  const key = keys.find((each) => each.id === keyId);
  if (key === undefined)
    throw new RangeError(`Failed to find the key: the account has none with the id ${keyId}`);
  return key;
}

function requireFlag(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw invalidOption(name, "be true or false", value);
  return value;
}
