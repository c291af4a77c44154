import type { Account } from "../accounts/account.js";
import { UnknownIdError } from "../options/unknown-id.js";
import type { World } from "../state/world.js";

/** @throws RangeError when there is no such account. */
export function requireAccount({ index }: World, accountId: string): Account {
  const account = index.accounts.get(accountId);
  if (account === undefined) throw new UnknownIdError("account", accountId);
  return account;
}
