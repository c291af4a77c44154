import type { FinalStatus } from "../contract/service.js";
import type { JournalRecord, OrderDelivery, OrderFollower } from "../journal/journal.js";
import { LONGEST_CLEANUP_MS, newRevision, type Slot } from "../journal/slot.js";
import { isUnacknowledged } from "../journal/unacknowledged.js";
import { Aborter } from "../time/abort.js";
import { type Clock, wallTime } from "../time/clock.js";
import { dateAt, parseDate } from "../time/date.js";
import { within } from "../time/deadline.js";

/** The longest lease, in milliseconds: 10 minutes. */
export const LONGEST_LEASE_MS = 600_000;

const FIX_JOURNAL = ["Fix the journal."];

/** What is true of an order when the journal fails, before its end was delivered and after it. */
const UNDELIVERED = { facts: ["An end that is not acknowledged is delivered later."], advice: FIX_JOURNAL };
const DELIVERED = {
  facts: [
    "The end of the order was delivered.",
    "It is delivered again, with the same delivery ID, unless its acknowledgement is recorded before the follower stops.",
  ],
  advice: FIX_JOURNAL,
};

/** How a follower holds the orders on which it works. */
export interface LeaseTerms {
  /** The ID of the follower. */
  id: string;
  leaseMs: number;
  clock: Pick<Clock, "now">;
}

/** What an update makes of the current entry; `null` to leave it. */
type Change = (entry: JournalRecord) => JournalRecord | null;

/** An order that a follower works on: no other one takes it before the lease has run out. All changes are compare-and-set. */
export class OrderLease {
  readonly #slot: Slot;
  readonly #terms: LeaseTerms;
  readonly #aborter = new Aborter();
  entry: JournalRecord;
  /** The end of the last update: updates of one lease take turns. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(slot: Slot, terms: LeaseTerms, entry: JournalRecord) {
    this.#slot = slot;
    this.#terms = terms;
    this.entry = entry;
  }

  /** Takes an order, unless its end was acknowledged or another follower has it: then `null`. @throws JournalError */
  static async take(slot: Slot, terms: LeaseTerms): Promise<OrderLease | null> {
    slot.advice = UNDELIVERED;
    const entry = await slot.read();
    if (entry === null || !isUnacknowledged(entry) || isHeldByOther(entry, terms)) return null;
    const taken = { ...entry, revision: newRevision(), follower: followerOf(terms) };
    return (await slot.put(taken, entry.revision)) ? new OrderLease(slot, terms, taken) : null;
  }

  get key(): string {
    return this.#slot.key;
  }

  /** Aborted when the order belongs to another follower, and by `abort`. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /** Ends the wait for the order. */
  abort(): void {
    this.#aborter.abort();
  }

  /** Renews the lease. An order that another follower has taken over, or acknowledged, is left to it. @throws JournalError */
  async renew(): Promise<void> {
    const terms = this.#terms;
    const isHeld = await this.#update((entry) =>
      isHeldByOther(entry, terms) ? null : { ...entry, follower: followerOf(terms) },
    );
    if (!isHeld) this.abort();
  }

  /** Records that the end was delivered. An order that was taken over meanwhile was delivered all the same. @throws JournalError */
  async acknowledge(status: FinalStatus | null): Promise<void> {
    this.#slot.advice = DELIVERED;
    await this.#update(({ follower, delivery, ...entry }) => ({
      ...ended(entry, status),
      acknowledged: true,
    }));
  }

  /** Records the end, and that it could not be delivered yet. Ends the lease. @throws JournalError */
  async postpone(status: FinalStatus | null, delivery: OrderDelivery): Promise<void> {
    const terms = this.#terms;
    await this.#update((found) => {
      if (isHeldByOther(found, terms)) return null;
      const { follower, ...entry } = found;
      return { ...ended(entry, status), delivery };
    });
  }

  /** Ends the lease: another follower can take the order at once. Never rejects, and takes a second at most. */
  async release(): Promise<void> {
    const { id } = this.#terms;
    const update = () => this.#update(({ follower, ...entry }) => (follower?.id === id ? entry : null));
    await within(LONGEST_CLEANUP_MS, update).catch(() => {});
  }

  /**
   * Changes the current entry, whichever run has replaced it meanwhile. Resolves with `false` if the change or another follower
   * left nothing to do.
   */
  #update(change: Change): Promise<boolean> {
    const update = async () => {
      for (;;) {
        const changed = isUnacknowledged(this.entry) ? change(this.entry) : null;
        if (changed === null) return false;
        const next = { ...changed, revision: newRevision() };
        if (await this.#slot.put(next, this.entry.revision)) {
          this.entry = next;
          return true;
        }
        const found = await this.#slot.read();
        if (found?.state !== "submitted" || found.task_id !== this.entry.task_id) return false;
        this.entry = found;
      }
    };
    const updated = this.#last.then(update);
    this.#last = updated.catch(() => {});
    return updated;
  }
}

function ended(entry: JournalRecord, status: FinalStatus | null): JournalRecord {
  return status === null ? entry : { acknowledged: false, ...entry, status: entry.status ?? status };
}

function followerOf({ id, leaseMs, clock }: LeaseTerms) {
  return { id, until: dateAt(wallTime(clock) + leaseMs).toISOString() };
}

function isHeldByOther({ follower }: JournalRecord, { id, clock }: LeaseTerms): boolean {
  return follower !== undefined && follower.id !== id && isHeld(follower, wallTime(clock));
}

/** Whether a lease lasts. A time that cannot be read has passed, and one that is too far ahead is from a clock that is wrong. */
export function isHeld(follower: OrderFollower | null, now: number): boolean {
  const until = (follower && parseDate(follower.until)) ?? 0;
  return until > now && until <= now + LONGEST_LEASE_MS;
}
