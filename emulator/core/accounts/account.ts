import { randomUuid } from "../../time/random.js";
import { createLedger, type Ledger, topUp } from "../ledger/ledger.js";
import { createPurchases, type Purchases } from "../payments/buyer.js";
import type { RateWindow } from "../rate-limit.js";

/** Whoever pays. */
export interface Account {
  id: string;
  suspended: boolean;
  keys: ApiKey[];
  ledger: Ledger;
  /** What it bought, and how it is to be charged. */
  purchases: Purchases;
  /** Tasks of every status. */
  tasksCreated: number;
  /** The cost of all tasks together, refunded ones included. */
  creditsUsed: number;
}

/** What opens an account. */
export interface ApiKey {
  id: string;
  /** Begins with `emu_`, so that it can't be taken for a real one. */
  value: string;
  disabled: boolean;
  /** The key's current window of the rate limit; `null` before its first request. */
  window: RateWindow | null;
}

/** What ids and keys are made from: the seed, and how many there have been. */
interface KeySource {
  seed: number;
  counts: { accounts: number; keys: number };
}

export function createAccount({ seed, counts }: KeySource, credits: number, at: number): Account {
  const ledger = createLedger();
  if (credits > 0) topUp(ledger, credits, at);
  const id = randomUuid(seed, "account", counts.accounts++);
  const purchases = createPurchases();
  return { id, suspended: false, keys: [], ledger, purchases, tasksCreated: 0, creditsUsed: 0 };
}

/** Makes a key; its value is the given one, or comes from the seed. */
export function createKey({ seed, counts }: KeySource, value?: string): ApiKey {
  const ordinal = counts.keys++;
  return {
    id: randomUuid(seed, "key id", ordinal),
    value: value ?? `emu_${randomUuid(seed, "key", ordinal).replaceAll("-", "")}`,
    disabled: false,
    window: null,
  };
}
