import type { Account } from "../core/accounts.js";
import { UnknownIdError } from "../core/checks.js";
import type { World } from "../core/state/world.js";

/** @throws RangeError when there is no such account. */
export function requireAccount({ index }: World, accountId: string): Account {
  const account = index.accounts.get(accountId);
  if (account === undefined) throw new UnknownIdError("account", accountId);
  return account;
}
