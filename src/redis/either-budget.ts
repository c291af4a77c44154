import type { Budget } from "../pacer/rate-window.js";

/** The fleet's budget, or this process's own while the fleet can't be asked. Both see everything that is spent. */
export function eitherBudget(fleet: Budget, own: Budget, isAlone: () => boolean): Budget {
  const current = () => (isAlone() ? own : fleet);
  return {
    get heldUntil() {
      return current().heldUntil;
    },
    get openedAt() {
      return current().openedAt;
    },
    isOpen: (now) => current().isOpen(now),
    hasShare: (now, claimant) => current().hasShare(now, claimant),
    admits: (now, claimant, leave) => current().admits(now, claimant, leave),
    nextChange: (now) => current().nextChange(now),
    budgets: (now) => current().budgets(now),
    state: (now) => current().state(now),
    spend(now, claimant) {
      fleet.spend(now, claimant);
      own.spend(now, claimant);
    },
    settle(now, settlement) {
      fleet.settle(now, settlement);
      own.settle(now, settlement);
    },
  };
}
