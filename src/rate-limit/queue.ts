import type { AbortCallback } from "../time/abort.js";
import type { PacedRequest } from "./pacer.js";
import type { ScheduledPoll } from "./poll-price.js";
import type { Tenant } from "./tenants.js";
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
  /** The end of its delay that was last reported. */
  delayedUntil: number;
  isRemoved: boolean;
  resolve: (isAdmitted: boolean) => void;
  reject: (reason: unknown) => void;
  /** Its registration at the caller's signal. */
  abort: AbortCallback | null;
}

/** The most removed entries that are kept beside as many as still wait. */
const MOST_REMOVED = 100;

/** The waiting requests of one rank, by tenant, in the order of the tenants' turns. */
type Lanes = Map<Tenant, QueueEntry[]>;

/** When the first requests of the tenants are due: the earliest one, and the earliest one after a time. */
interface Due {
  first: number;
  after: number;
  next: number;
}

/**
 * The waiting requests of each rank. Those of a tenant are in the order in which they are due; the tenants take turns. Removed
 * requests are dropped when they come first.
 */
export class Queue {
  readonly #ranks: [Lanes, Lanes, Lanes] = [new Map(), new Map(), new Map()];
  #removed = 0;
  /** How many requests wait. */
  size = 0;
  /** How many polls wait. */
  polls = 0;
  /** How many tenants wait. */
  tenants = 0;
  /** No entry expires before this. */
  nextExpiry: number = Number.POSITIVE_INFINITY;
  #added = 0;
  /** By rank; `null` if it has changed. Otherwise each call of many tenants would go through all of them. */
  readonly #due: [Due | null, Due | null, Due | null] = [null, null, null];

  add(entry: QueueEntry): void {
    entry.number ||= ++this.#added;
    const lanes = this.#ranks[entry.rank];
    const entries = lanes.get(entry.tenant) ?? [];
    lanes.set(entry.tenant, entries);
    const due = this.#due[entry.rank];
    if (entries.length > 0) this.#due[entry.rank] = null;
    else if (due !== null) note(due, entry.dueAt);
    let [from, to] = [0, entries.length];
    // Most entries come last.
    for (let middle = to - 1; from < to; middle = (from + to) >> 1) {
      const other = entries[middle];
      if (other !== undefined && compare(other, entry) < 0) from = middle + 1;
      else to = middle;
    }
    entries.splice(from, 0, entry);
    this.#count(entry, 1);
    this.nextExpiry = Math.min(this.nextExpiry, entry.notAfter);
  }

  /** The first entry of each tenant in a rank, in the order of their turns. */
  *heads(rank: Rank): Generator<QueueEntry> {
    const lanes = this.#ranks[rank];
    for (const [tenant, entries] of lanes) {
      while (entries[0]?.isRemoved) {
        entries.shift();
        this.#removed--;
      }
      if (entries[0] === undefined) lanes.delete(tenant);
      else yield entries[0];
    }
  }

  /** Whether any entry of a rank is due, and when the first of the others is that comes first of its tenant. */
  dueIn(rank: Rank, now: number): { isDue: boolean; next: number } {
    let due = this.#due[rank];
    if (due === null || due.next <= now) {
      due = { first: Number.POSITIVE_INFINITY, after: now, next: Number.POSITIVE_INFINITY };
      for (const { dueAt } of this.heads(rank)) note(due, dueAt);
      this.#due[rank] = due;
    }
    return { isDue: due.first <= now, next: due.next };
  }

  entries(...ranks: readonly Rank[]): QueueEntry[] {
    const entries = ranks.flatMap((rank) => [...this.#ranks[rank].values()].flat());
    return entries.filter(({ isRemoved }) => !isRemoved);
  }

  /** Restores the order of polls whose `dueAt` has changed. */
  reorderPolls(): void {
    this.#due[2] = null;
    for (const entries of this.#ranks[2].values()) entries.sort(compare);
  }

  /** Moves the first entry of a lane to a later time. */
  postpone(entry: QueueEntry, dueAt: number): void {
    this.#ranks[entry.rank].get(entry.tenant)?.shift();
    this.#count(entry, -1);
    this.add(Object.assign(entry, { dueAt }));
  }

  /** Removes an entry that is admitted. The next admission is that of another tenant. */
  take(entry: QueueEntry): QueueEntry {
    const lanes = this.#ranks[entry.rank];
    const { tenant } = entry;
    const entries = lanes.get(tenant);
    if (entries !== undefined) {
      lanes.delete(tenant);
      lanes.set(tenant, entries);
    }
    return this.remove(entry);
  }

  takeExpired(now: number): QueueEntry[] {
    if (now < this.nextExpiry) return [];
    const expired: QueueEntry[] = [];
    this.nextExpiry = Number.POSITIVE_INFINITY;
    for (const entry of this.entries(0, 1, 2)) {
      if (entry.notAfter <= now) expired.push(entry);
      else if (entry.notAfter < this.nextExpiry) this.nextExpiry = entry.notAfter;
    }
    for (const entry of expired) this.remove(entry);
    return expired;
  }

  /** Removes an entry. The caller then resolves or rejects it. */
  remove(entry: QueueEntry): QueueEntry {
    entry.isRemoved = true;
    entry.abort?.remove();
    this.#count(entry, -1);
    if (++this.#removed > this.size + MOST_REMOVED) {
      for (const lanes of this.#ranks) dropRemoved(lanes);
      this.#removed = 0;
    }
    return entry;
  }

  #count({ rank, tenant }: QueueEntry, change: 1 | -1): void {
    if (change === -1) this.#due[rank] = null;
    this.size += change;
    if (rank === 2) this.polls += change;
    if (tenant.waiting === 0) this.tenants++;
    tenant.waiting += change;
    if (tenant.waiting === 0) this.tenants--;
  }
}

function note(due: Due, dueAt: number): void {
  due.first = Math.min(due.first, dueAt);
  if (dueAt > due.after) due.next = Math.min(due.next, dueAt);
}

function dropRemoved(lanes: Lanes): void {
  for (const [tenant, entries] of lanes) {
    const waiting = entries.filter(({ isRemoved }) => !isRemoved);
    if (waiting.length > 0) lanes.set(tenant, waiting);
    else lanes.delete(tenant);
  }
}

function compare(one: QueueEntry, other: QueueEntry): number {
  return one.dueAt - other.dueAt || one.number - other.number;
}
