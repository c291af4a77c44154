import * as z from "zod/mini";
import type { Balance, Usage } from "../../src/contract/responses.js";
import { freeUuid, randomUuid } from "../time/random.js";
import { count, flag, list, objectOf, text, time } from "./checks.js";
import { createLedger, ledgerSchema, topUp } from "./ledger.js";
import { createPurchases, purchasesSchema } from "./payments/schemas.js";
import { policySchema } from "./policy.js";
import { scriptsSchema } from "./providers.js";
import { LONGEST_KEY_NAME } from "./ranges.js";
import { limitsSchema, rateWindowSchema } from "./rate-limit.js";

/** Keys that can be sent in a header, with a prefix that no real key has. */
export const EMULATOR_KEY_FORM = /^emu_[\x21-\x7e]{1,200}$/;
export const KEY_RULE =
  "begin with `emu_`, which no real API key does, and continue with 1 to 200 ASCII characters without spaces";

const nameRule = `have at most ${LONGEST_KEY_NAME} characters`;
export const keyNameSchema = text.check(z.maxLength(LONGEST_KEY_NAME, nameRule));

export type StoredKey = z.output<typeof apiKeySchema>;
const apiKeySchema = objectOf({
  id: text,
  value: text,
  /** What a person calls it; may be empty. */
  name: text,
  createdAt: time,
  /** When a request was last sent with it; null before the first. */
  lastUsedAt: z.nullable(time),
  disabled: flag,
  /** The key's current window of the rate limit; null before its first request. */
  window: z.nullable(rateWindowSchema),
});

export type StoredAccount = z.output<typeof storedAccountSchema>;
export const storedAccountSchema = objectOf({
  id: text,
  suspended: flag,
  keys: list(apiKeySchema),
  ledger: ledgerSchema,
  purchases: purchasesSchema,
  tasksCreated: count,
  /** The price of all tasks, refunded ones included. */
  creditsUsed: count,
  /** The outcomes, the policy and the rate limit of this account alone; absent until they are set. */
  scripts: z.optional(scriptsSchema),
  policy: z.optional(policySchema),
  limits: z.optional(limitsSchema),
  /** How many faults were added for it alone. */
  faults: z.optional(count),
  /** How many connections were made with its keys; the first account's are counted in the state. */
  connections: z.optional(count),
});

interface IdSource {
  seed: number;
  counts: { accounts: number; keys: number };
  accounts: readonly { id: string; keys: readonly { value: string }[] }[];
}

export function createAccount(
  { seed, counts, accounts }: IdSource,
  credits: number,
  at: number,
): StoredAccount {
  const ledger = createLedger();
  if (credits > 0) topUp(ledger, credits, at);
  const taken = { has: (id: string) => accounts.some((each) => each.id === id) };
  const id = freeUuid(taken, seed, "account", counts.accounts++);
  const purchases = createPurchases();
  return { id, suspended: false, keys: [], ledger, purchases, tasksCreated: 0, creditsUsed: 0 };
}

export function createKey({ seed, counts, accounts }: IdSource, at: number, value?: string): StoredKey {
  const ordinal = counts.keys++;
  const keyOf = (id: string) => `emu_${id.replaceAll("-", "")}`;
  const taken = {
    has: (id: string) => accounts.some(({ keys }) => keys.some((key) => key.value === keyOf(id))),
  };
  return {
    id: randomUuid(seed, "key id", ordinal),
    value: value ?? keyOf(freeUuid(taken, seed, "key", ordinal)),
    name: "",
    createdAt: at,
    lastUsedAt: null,
    disabled: false,
    window: null,
  };
}

export function balanceData({ ledger: { available, frozen } }: StoredAccount): Balance {
  return { available, frozen, total: available + frozen };
}

export function usageData({ tasksCreated, creditsUsed, ledger }: StoredAccount): Usage {
  return { tasks_created: tasksCreated, credits_used: creditsUsed, credits_topped_up: ledger.toppedUp };
}
