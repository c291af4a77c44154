import { LIMITS } from "../contract/service.js";
import type { Durations } from "./durations.js";
import { Demand } from "./key-use.js";
import { PollPlan } from "./poll-plan.js";
import type { PollBudget } from "./window.js";

/** So many tenants are kept before those are forgotten that neither wait nor have sent requests lately. */
const FEW = 16;

/** The response to a poll has usually come after this time. */
const LONGEST_POLL_MS = 2000;

/** At the end of a window, any tenant may use what the others have left. */
export const LEFTOVERS_MS = 500;

/** Counts requests of about the last window: those of the time before are taken to have been sent evenly. */
class RecentUse {
  #from = Number.NEGATIVE_INFINITY;
  #count = 0;
  #before = 0;

  note(at: number, count: 1 | -1): void {
    this.recent(at);
    if (at < this.#from) this.#before += count;
    else this.#count += count;
  }

  recent(now: number): number {
    const windows = (now - this.#from) / LIMITS.windowMs;
    if (windows >= 1) {
      this.#before = windows < 2 ? this.#count : 0;
      this.#count = 0;
      this.#from = windows < 2 ? this.#from + LIMITS.windowMs : now;
    }
    return this.#count + this.#before * (1 - (now - this.#from) / LIMITS.windowMs);
  }
}

/** A customer, or all requests without one. */
export class Tenant {
  /** How many of its requests wait. */
  waiting = 0;
  /** How many of its requests this process has sent lately, and how many other processes had sent by their last reports. */
  readonly use = new RecentUse();
  usedElsewhere = 0;
  /** How many requests it has sent since the window of the current plan began. */
  spent = 0;
  /** Which part of its waiting tasks this process waits for, and what the fleet last reported of that. */
  weight = 1;
  reportedWeight = 1;
  plan: PollPlan = new PollPlan();
  /** When the polls were sent that do not wait again yet: their tasks most likely will. */
  readonly #sent = new Map<string, number>();
  /** How often a task of each kind begins to wait. */
  readonly #arrivals = new Map<Durations, Demand>();
  /** Of the tasks of which only the ID is known: when the next one is read, and how many are read at once before the next plan. */
  nextResumedAt: number = Number.NEGATIVE_INFINITY;
  firstReads = 0;

  /** @param count - -1 for a request of a time that was not sent after all */
  spend(at: number, count: 1 | -1 = 1): void {
    this.use.note(at, count);
    this.spent += count;
  }

  /** How many requests it may still send in the window. */
  left(level: number): number {
    return this.weight * level - this.spent;
  }

  /** A poll of a task was sent. */
  notePoll(taskId: string, now: number): void {
    this.#sent.delete(taskId);
    this.#sent.set(taskId, now);
    this.pollsInFlight(now);
  }

  /** A task waits for its next poll. */
  noteWait(taskId: string): void {
    this.#sent.delete(taskId);
  }

  /** How many tasks are about to wait for their next poll. */
  pollsInFlight(now: number): number {
    for (const [taskId, sentAt] of this.#sent) {
      if (now - sentAt < LONGEST_POLL_MS) break;
      this.#sent.delete(taskId);
    }
    return this.#sent.size;
  }

  /** A task begins to wait. */
  noteArrival(kind: Durations, now: number): void {
    const arrivals = this.#arrivals.get(kind) ?? new Demand();
    this.#arrivals.set(kind, arrivals);
    arrivals.note(now);
  }

  /** How many tasks of a kind are expected to begin to wait within a time. */
  arrivalsWithin(kind: Durations, now: number, ms: number): number {
    return this.#arrivals.get(kind)?.within(now, ms) ?? 0;
  }
}

/** What the tenants of a process leave to each other. */
export interface Fairness {
  /** How many requests a tenant that is ahead leaves to the others, until the leftovers may be used. */
  reserve: number;
  leftoversAt: number;
  /** How many more requests a tenant may send until it has had its part of the window, and is ahead. */
  untilAhead(tenant: Tenant): number;
}

/** The tenants of a key that wait, or that have sent requests lately. */
export class Tenants {
  readonly byName = new Map<string | undefined, Tenant>();
  #most = FEW;
  newWeight = 1;
  /** How many tenants wait in other processes only. */
  elsewhere = 0;

  /** Whether any request has a tenant. Without one, nothing is divided. */
  get areNamed(): boolean {
    return this.byName.size > (this.byName.has(undefined) ? 1 : 0) || this.elsewhere > 0;
  }

  get(name: string | undefined, now: number): Tenant {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.byName.size >= this.#most) this.#forget(now);
    const tenant = new Tenant();
    tenant.weight = tenant.reportedWeight = this.newWeight;
    this.byName.set(name, tenant);
    return tenant;
  }

  /** The tenants with polls in flight. */
  inFlight(now: number): Tenant[] {
    return [...this.byName.values()].filter((tenant) => tenant.pollsInFlight(now) > 0);
  }

  beginWindow(): void {
    for (const tenant of this.byName.values()) tenant.spent = 0;
  }

  /** @param waiting - how many tenants wait in this process */
  fairness({ now, until, limit }: PollBudget, waiting: number): Fairness {
    // One more: a tenant that begins now has its part as well.
    const part = limit / (waiting + this.elsewhere + 1);
    const leftoversAt = until - LEFTOVERS_MS;
    // The requests of a tenant that begins one song now.
    const ofOneSong = 1 + (until - now) / LIMITS.recommendedPollIntervalMs.shortest;
    return {
      reserve: now < leftoversAt ? Math.min(part, ofOneSong) : 0,
      leftoversAt,
      untilAhead: ({ use, usedElsewhere, weight }) =>
        Math.min(weight * part, part - usedElsewhere) - use.recent(now),
    };
  }

  #forget(now: number): void {
    for (const [name, { waiting, use }] of this.byName)
      if (waiting === 0 && use.recent(now) === 0) this.byName.delete(name);
    this.#most = Math.max(FEW, 2 * this.byName.size);
  }
}
