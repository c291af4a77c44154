import type { TaskRequest } from "../contract/requests.js";
import { AsyncMusicError, CreditCeilingError, InvalidOptionError, shown } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import { TaskFailedError } from "../errors/task-errors.js";
import { listedPrice } from "./credits-for.js";

/** Keeps what a batch has spent or frozen at or under a ceiling. */
export interface CreditCeiling {
  /**
   * Sets the price of a request aside, then runs it; gives the price back where it was not charged or was refunded.
   * Prices are set aside in the order of the calls: what is new must not slip past what was paid for before, only
   * because its journal answered sooner.
   *
   * @param isBegun - Whether it was paid for before, or may have been: then it counts, and is run all the same. It must
   * not reject.
   * @param run - Calls what it is given before anything is sent: what was begun may have been given up meanwhile.
   * @throws CreditCeilingError when the price does not fit; nothing is sent.
   */
  under<Result>(
    request: TaskRequest,
    isBegun: Promise<boolean>,
    run: (beforeSending: () => void) => Promise<Result>,
  ): Promise<Result>;
}

export function createCreditCeiling(maxCredits = Number.POSITIVE_INFINITY): CreditCeiling {
  if (!(typeof maxCredits === "number" && maxCredits >= 0)) {
    throw new InvalidOptionError("maxCredits", "be 0 credits or more", shown(maxCredits));
  }
  let spentCredits = 0;
  let earlier: Promise<unknown> = Promise.resolve();

  return {
    async under(request, isBegun, run) {
      // A request without a price is refused by its run, or by the service: it costs nothing.
      const credits = listedPrice(request) ?? 0;
      let isAllowed = false;
      const allow = (otherCredits: number) => {
        if (!isAllowed && otherCredits + credits > maxCredits)
          throw new CreditCeilingError({ credits, spentCredits: otherCredits, maxCredits });
        isAllowed = true;
      };
      const turn = earlier.then(() => isBegun);
      earlier = turn;
      if (!(await turn)) allow(spentCredits);
      spentCredits += credits;
      try {
        return await run(() => allow(spentCredits - credits));
      } catch (error) {
        if (!isCharged(error)) spentCredits -= credits;
        throw error;
      }
    },
  };
}

/** Whether credits may still be frozen or settled. A failed task's are refunded. */
function isCharged(error: unknown): boolean {
  if (error instanceof TaskFailedError) return false;
  if (error instanceof SubmissionOutcomeUnknownError) return true;
  return error instanceof AsyncMusicError && error.taskId !== null;
}
