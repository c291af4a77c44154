import { messageOfThrown } from "../contract/thrown.js";
import type { Redactor } from "../errors/redactor.js";
import { JournalError } from "../errors/task-errors.js";
import type { Journal, UnacknowledgedOrder } from "../journal/journal.js";
import { LONGEST_JOURNAL_MS } from "../journal/slot.js";
import type { Clock } from "../time/clock.js";
import { within } from "../time/deadline.js";
import { withClockStopped } from "../time/stopped-clock.js";

/** A journal that lists the orders to follow. */
export type FollowedJournal = Journal & Required<Pick<Journal, "unacknowledged">>;

/** The orders of a journal whose ends are not acknowledged. @throws JournalError, also if the list is malformed or the signal aborts */
export async function listOrders(
  journal: FollowedJournal,
  since: Date,
  { clock, redactor }: { readonly clock: Clock; readonly redactor: Redactor },
  signal: AbortSignal,
): Promise<readonly UnacknowledgedOrder[]> {
  try {
    const list = () => withClockStopped(clock, journal.unacknowledged(since));
    const orders: readonly unknown[] = await within(LONGEST_JOURNAL_MS, list, signal);
    if (Array.isArray(orders) && orders.every(isOrder)) return orders;
    throw new TypeError("`unacknowledged` returned something other than a list of orders");
  } catch (thrown) {
    const cause = redactor.cause(thrown);
    const what = "Failed to list the orders of the journal whose ends are not acknowledged";
    const why = messageOfThrown(cause);
    throw new JournalError({ what, why }, { journalKey: "", cause });
  }
}

function isOrder(order: unknown): order is UnacknowledgedOrder {
  return typeof Object(order).key === "string";
}
