import { createKey } from "../accounts.js";
import { invariant } from "../checks.js";
import type { World } from "./world.js";

/**
 * Makes this the key of the first account, in place of the one that it has, and lets it in.
 *
 * @throws RangeError where it is another account's; nothing is then changed.
 */
export function setOwnerKey({ state, index }: World, apiKey: string): void {
  const { owner } = state;
  const account = index.accounts.get(owner.accountId);
  invariant(account !== undefined, "the owner's account exists");
  const taken = index.keys.get(apiKey);
  if (taken !== undefined && taken.account !== account) {
    throw new RangeError("Expected `apiKey` to be no key of another account of the snapshot");
  }
  if (owner.apiKey !== apiKey) {
    account.keys = account.keys.filter(({ value }) => value !== owner.apiKey);
    index.keys.delete(owner.apiKey);
    owner.apiKey = apiKey;
  }
  const key = taken?.key ?? createKey(state, apiKey);
  key.disabled = false;
  if (taken === undefined) account.keys.push(key);
  index.keys.set(apiKey, { account, key });
}
