import type { Account } from "../core/accounts/account.js";
import { UnknownIdError } from "../core/options/unknown-id.js";
import type { World } from "../core/state/world.js";

/** @throws RangeError when there is no such account. */
export function requireAccount({ index }: World, accountId: string): Account {
  const account = index.accounts.get(accountId);
  if (account === undefined) throw new UnknownIdError("account", accountId);
  return account;
}
