import type { Budget } from "../rate-limit/rate-window.js";
import type { SteadyClock } from "../rate-limit/steady-clock.js";

/** The fleet's budget, or this process's own until a time from which the fleet is asked again. Both see all that is spent. */
export function eitherBudget(
  fleet: Budget,
  own: Budget,
  clock: SteadyClock,
  aloneUntil: () => number,
): Budget {
  const isAlone = () => clock.now() < aloneUntil();
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
    nextChange: (now) => (isAlone() ? Math.min(own.nextChange(now), aloneUntil()) : fleet.nextChange(now)),
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
