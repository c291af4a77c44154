import type { AbortCallback } from "../time/abort.js";
import type { PacedRequest } from "./pacer.js";
import type { ScheduledPoll } from "./schedule.js";
import type { Rank } from "./window.js";

/** A request that waits for its admission. Times are in milliseconds on the pacer's clock. */
export interface QueueEntry extends ScheduledPoll {
  rank: Rank;
  /** Of two entries that are due at the same time, the one with the lower number comes first. The queue sets it once. */
  number: number;
  /** When it expires. */
  notAfter: number;
  maxHoldMs: number;
  onDelayed: PacedRequest["onDelayed"];
  isRemoved: boolean;
  resolve: (isAdmitted: boolean) => void;
  reject: (reason: unknown) => void;
  /** Its registration at the caller's signal. */
  abort: AbortCallback | null;
}

/** The most removed entries that are kept beside as many as still wait. */
const MOST_REMOVED = 100;

/** The waiting requests of each rank, in the order in which they are due. Removed ones are dropped when they come first. */
export class Queue {
  readonly #ranks: [QueueEntry[], QueueEntry[], QueueEntry[]] = [[], [], []];
  #removed = 0;
  /** How many requests wait. */
  size = 0;
  /** How many polls wait. */
  polls = 0;
  /** No entry expires before this. */
  nextExpiry: number = Number.POSITIVE_INFINITY;
  #added = 0;

  add(entry: QueueEntry): void {
    entry.number ||= ++this.#added;
    const entries = this.#ranks[entry.rank];
    let [from, to] = [0, entries.length];
    // Most entries come last.
    for (let middle = to - 1; from < to; middle = (from + to) >> 1) {
      const other = entries[middle];
      if (other !== undefined && compare(other, entry) < 0) from = middle + 1;
      else to = middle;
    }
    entries.splice(from, 0, entry);
    this.size++;
    if (entry.rank === 2) this.polls++;
    this.nextExpiry = Math.min(this.nextExpiry, entry.notAfter);
  }

  /** The entry of a rank that is due first. */
  first(rank: Rank): QueueEntry | undefined {
    const entries = this.#ranks[rank];
    while (entries[0]?.isRemoved) {
      entries.shift();
      this.#removed--;
    }
    return entries[0];
  }

  /** All entries of some ranks. */
  entries(...ranks: readonly Rank[]): QueueEntry[] {
    const waiting: QueueEntry[] = [];
    for (const rank of ranks)
      for (const entry of this.#ranks[rank]) if (!entry.isRemoved) waiting.push(entry);
    return waiting;
  }

  /** Restores the order of polls whose `dueAt` has changed. */
  reorderPolls(): void {
    this.#ranks[2].sort(compare);
  }

  /** Moves the first entry of a rank to a later time. */
  postpone(entry: QueueEntry, dueAt: number): void {
    this.#ranks[entry.rank].shift();
    this.size--;
    if (entry.rank === 2) this.polls--;
    this.add(Object.assign(entry, { notBefore: dueAt, dueAt }));
  }

  /** Removes the entries that have expired. */
  takeExpired(now: number): QueueEntry[] {
    if (now < this.nextExpiry) return [];
    const expired: QueueEntry[] = [];
    this.nextExpiry = Number.POSITIVE_INFINITY;
    for (const entries of this.#ranks) {
      for (const entry of entries) {
        if (entry.isRemoved) continue;
        if (entry.notAfter <= now) expired.push(entry);
        else if (entry.notAfter < this.nextExpiry) this.nextExpiry = entry.notAfter;
      }
    }
    for (const entry of expired) this.remove(entry);
    return expired;
  }

  /** Removes an entry. The caller then resolves or rejects it. */
  remove(entry: QueueEntry): QueueEntry {
    entry.isRemoved = true;
    entry.abort?.remove();
    this.size--;
    if (entry.rank === 2) this.polls--;
    if (++this.#removed > this.size + MOST_REMOVED) {
      for (const rank of [0, 1, 2] as const) this.#ranks[rank] = this.entries(rank);
      this.#removed = 0;
    }
    return entry;
  }
}

function compare(one: QueueEntry, other: QueueEntry): number {
  return one.dueAt - other.dueAt || one.number - other.number;
}
