import type { Ledger, LedgerEntry } from "./ledger.js";

/** Whether a ledger's sums are those of its entries, every one of them gone through. */
export function addUp({ entries, available, frozen, settled, toppedUp, holds }: Ledger): boolean {
  const sums: Record<LedgerEntry["kind"], number> = { top_up: 0, freeze: 0, settle: 0, refund: 0 };
  for (const { kind, credits } of entries) sums[kind] += credits;
  const held = Object.values(holds).reduce((sum, credits) => sum + credits, 0);
  return (
    toppedUp === sums.top_up &&
    settled === sums.settle &&
    frozen === sums.freeze - sums.settle - sums.refund &&
    frozen === held &&
    available === sums.top_up - sums.freeze + sums.refund &&
    available >= 0
  );
}
