import type { Account } from "../core/accounts.js";
import { UnknownIdError } from "../core/checks.js";
import type { Core } from "../core/core.js";

/** @throws RangeError when there is no such account. */
export function requireAccount({ index }: Core, accountId: string): Account {
  const account = index.accounts.get(accountId);
  if (account === undefined) throw new UnknownIdError("account", accountId);
  return account;
}
