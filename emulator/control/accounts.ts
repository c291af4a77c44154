import * as z from "zod/mini";
import { type Account, type ApiKey, createAccount, createKey } from "../core/accounts.js";
import {
  checkOptionNames,
  invalidOption,
  objectOf,
  oneOf,
  parseOption,
  UnknownIdError,
} from "../core/checks.js";
import { type Core, indexAccount } from "../core/core.js";
import { creditsSchema } from "../core/ledger.js";
import { type AccountPurchases, createAccountPurchases } from "./account-purchases.js";
import { type AccountView, type KeyView, viewAccount, viewKey } from "./account-view.js";
import { requireAccount } from "./require-account.js";

/** A new account with its first key. The only time that the key's value is shown. */
export interface CreatedAccount extends CreatedKey {
  account_id: string;
}

/** A new key. The only time that its value is shown. */
export interface CreatedKey {
  key_id: string;
  api_key: string;
}

/** What can be changed of an account. */
export interface AccountChanges {
  /** A suspended account creates no tasks (403); everything else goes on. */
  suspended?: boolean | undefined;
  /** Whether the saved card's bank takes the next automatic charges; the next card that is saved takes them again. */
  saved_card?: "accepts" | "refuses" | undefined;
}

/** The emulator's accounts. Every method throws a RangeError for an id that there is not. */
export interface Accounts extends AccountPurchases {
  /** An account of its own, with a key. @param options.credits - A whole number; 0 by default. */
  create(options?: { credits?: number | undefined }): CreatedAccount;
  /** Looks at an account; like every look, it applies the hour to its tasks. */
  get(accountId: string): AccountView;
  /** Looks at all accounts, in the order of their creation. */
  list(): AccountView[];
  /** Changes what is given, and leaves the rest. */
  update(accountId: string, changes: AccountChanges): AccountView;
  /** One more key, which spends the account's credits and sees its tasks. */
  createKey(accountId: string): CreatedKey;
  /** A disabled key is answered with 401, until it is enabled again. */
  updateKey(accountId: string, keyId: string, changes: { disabled: boolean }): KeyView;
  /** A deleted key is answered with 401, for ever. */
  deleteKey(accountId: string, keyId: string): void;
}

export function createAccounts(core: Core): Accounts {
  return {
    ...createAccountPurchases(core),
    create(options = {}) {
      const { credits = 0 } = checkOptionNames(options, ["credits"]);
      parseOption("credits", creditsSchema, credits);
      const account = createAccount(core.state, credits, core.clock.now());
      core.state.accounts.push(account);
      indexAccount(core.index, account);
      return { account_id: account.id, ...addKey(core, account) };
    },
    get: (accountId) => viewAccount(core, requireAccount(core, accountId)),
    list: () => core.state.accounts.map((account) => viewAccount(core, account)),
    update(accountId, changes) {
      const account = requireAccount(core, accountId);
      changeAccount(account, parseOption("account", accountChangesSchema, changes));
      return viewAccount(core, account);
    },
    createKey: (accountId) => addKey(core, requireAccount(core, accountId)),
    updateKey(accountId, keyId, { disabled }) {
      const key = requireKey(requireAccount(core, accountId), keyId);
      key.disabled = requireFlag("disabled", disabled);
      return viewKey(key);
    },
    deleteKey(accountId, keyId) {
      const account = requireAccount(core, accountId);
      const key = requireKey(account, keyId);
      account.keys = account.keys.filter((each) => each !== key);
      core.index.keys.delete(key.value);
    },
  };
}

/**
 * What is to change of an account: one thing at least.
 *
 * @internal
 */
export const accountChangesSchema = objectOf({
  suspended: z.optional(z.boolean("be true or false")),
  saved_card: z.optional(oneOf("accepts", "refuses")),
}).check(
  z.refine((changes) => Object.keys(changes).length > 0, "say what is to change: `suspended`, `saved_card`"),
);

function changeAccount(account: Account, { suspended, saved_card: charges }: AccountChanges): void {
  if (charges !== undefined) {
    const card = account.purchases.saved_card;
    if (card === null) throw new RangeError("Failed to change the saved card: the account has none");
    card.refuses = charges === "refuses";
  }
  if (suspended !== undefined) account.suspended = suspended;
}

function addKey({ state, index }: Core, account: Account): CreatedKey {
  const key = createKey(state);
  account.keys.push(key);
  index.keys.set(key.value, { account, key });
  return { key_id: key.id, api_key: key.value };
}

function requireKey({ keys }: Account, keyId: string): ApiKey {
  const key = keys.find((each) => each.id === keyId);
  if (key === undefined) throw new UnknownIdError("key", keyId, "the account");
  return key;
}

function requireFlag(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw invalidOption(name, "be true or false", value);
  return value;
}
