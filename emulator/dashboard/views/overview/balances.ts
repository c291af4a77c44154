import { computed } from "@preact/signals";
import type { LedgerEntry } from "../../client/client.js";
import { ledger } from "../../live/store.js";

/** What a movement of credits left behind. */
export interface BalanceAfter {
  entry: LedgerEntry;
  available: number;
  frozen: number;
}

/** What each kind of movement does to the two, for each credit. */
const EFFECTS: Readonly<Record<LedgerEntry["kind"], { available: number; frozen: number }>> = {
  top_up: { available: 1, frozen: 0 },
  freeze: { available: -1, frozen: 1 },
  settle: { available: 0, frozen: -1 },
  refund: { available: 1, frozen: -1 },
};

/** The chosen account's ledger with the balance after each movement, oldest first. */
export const balances = computed(() => {
  let available = 0;
  let frozen = 0;
  return ledger.value.map((entry): BalanceAfter => {
    const effect = EFFECTS[entry.kind];
    available += effect.available * entry.credits;
    frozen += effect.frozen * entry.credits;
    return { entry, available, frozen };
  });
});

/** By how much a movement changes what is available. */
export function changeOf({ kind, credits }: LedgerEntry): number {
  return EFFECTS[kind].available * credits;
}
