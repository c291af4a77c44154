import { type FinalStatus, isFinalStatus } from "../contract/service.js";
import type { SucceededTask } from "../contract/task.js";
import { AuthenticationError, TaskNotFoundError } from "../errors/api-errors.js";
import { InvalidOptionError } from "../errors/base.js";
import { InvalidResponseError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { TaskFailedError } from "../errors/task-errors.js";
import type { JournalRecord, OrderDelivery, UnacknowledgedOrder } from "../journal/journal.js";
import { LONGEST_JOURNAL_MS, newRevision, Slot } from "../journal/slot.js";
import { Aborter, onAbort } from "../time/abort.js";
import { type Clock, wallTime } from "../time/clock.js";
import { dateAt, parseDate } from "../time/date.js";
import type { Random } from "../time/random.js";
import { endedOrStopped } from "./ended-or-stopped.js";
import { ForeignTasks } from "./foreign-tasks.js";
import { JournalOutage } from "./journal-outage.js";
import { type FollowedJournal, listOrders } from "./list-orders.js";
import { isHeld, type LeaseTerms, OrderLease } from "./order-lease.js";
import { Turns } from "./turns.js";

export interface OrderEnd {
  /** The same at each delivery of this end. */
  readonly deliveryId: string;
  readonly entry: JournalRecord;
  readonly key: string;
  /** The task, or the error with which the wait for it ended. */
  readonly end: { readonly task: SucceededTask } | { readonly error: unknown };
}

/**
 * Records that an end was delivered, or when it is to be delivered again. An end of which nothing is recorded is delivered
 * again, by this follower or another one.
 */
export type RecordDelivery = (delivery: "acknowledged" | OrderDelivery) => Promise<void>;

/** How a follower works. Times are in milliseconds. */
export interface FollowerSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly redactor: Redactor;
  readonly concurrency: number;
  readonly intervalMs: number;
  readonly leaseMs: number;
  readonly maxAgeMs: number;
  readonly maxFailureMs: number;
  wait(key: string, entry: JournalRecord, signal: AbortSignal): Promise<SucceededTask>;
  /** Delivers an end. It must settle soon after the abort, when the follower stops. What it throws ends the follower. */
  deliver(order: OrderEnd, record: RecordDelivery, signal: AbortSignal): Promise<void>;
  /** Whether an order is to be worked on now. */
  isDue?(order: UnacknowledgedOrder): boolean;
  /** Called when the journal has failed, and is tried again after `retryMs`. */
  onJournalFailure?(error: unknown, retryMs: number): void;
  /** Called once if a task is of another account: see `ForeignTasks`. */
  onForeignTask(text: string): void;
}

/** The settings of a follower unless an option says otherwise. */
export const FOLLOW_DEFAULTS = {
  intervalMs: 5000,
  concurrency: 1000,
  leaseMs: 60_000,
  maxAgeMs: 7 * 24 * 3_600_000,
  maxFailureMs: 300_000,
} as const;

/** While a journal is listed, its server does little else: the pause is at least this many times as long as the listing. */
const PAUSE_PER_LISTING = 10;

/** After so many failures in a row, a listing is not continued: the journal is down. */
const MOST_FAILURES_IN_A_ROW = 3;

/** An order that a follower works on. */
interface HeldOrder {
  readonly lease: OrderLease;
  readonly tenant: string | null;
  /** Resolves once the lease is released. */
  work: Promise<void>;
  /** Whether its task is still waited for. */
  isWaiting: boolean;
}

/** Works on the orders of a journal until their ends were delivered, side by side with other followers. */
export class Follower {
  readonly #journal: FollowedJournal;
  readonly #settings: FollowerSettings;
  readonly #terms: LeaseTerms;
  readonly #foreign: ForeignTasks;
  readonly #stop = new AbortController();
  /** The orders that this follower works on, by key. */
  readonly #orders = new Map<string, HeldOrder>();
  #failure: { error: unknown } | null = null;
  #orderEnded = () => {};

  constructor(journal: FollowedJournal, settings: FollowerSettings) {
    const { leaseMs, clock } = settings;
    this.#journal = journal;
    this.#settings = settings;
    this.#terms = { id: newRevision(), leaseMs, clock };
    this.#foreign = new ForeignTasks((text) => settings.onForeignTask(text));
  }

  /**
   * Works until the signal is aborted, then resolves when every lease is released. `onStop` is called before that.
   *
   * @throws JournalError the journal failed for `maxFailureMs`; AuthenticationError the key is refused
   */
  async run(signal: AbortSignal, onStop: () => void = () => {}): Promise<void> {
    const abort = onAbort(signal, () => this.#stop.abort());
    if (signal.aborted) this.#stop.abort();
    const stopped = (error: unknown) => {
      if (!this.#stop.signal.aborted) this.#fail(error);
    };
    try {
      const loops = [this.#takeOrders().catch(stopped), this.#renewLeases().catch(stopped)];
      await endedOrStopped(Promise.all(loops), this.#stop.signal);
    } finally {
      abort.remove();
      onStop();
      for (const { lease } of this.#orders.values()) lease.abort();
      await Promise.all([...this.#orders.values()].map(({ work }) => work));
    }
    if (this.#failure !== null) throw this.#failure.error;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop.abort();
  }

  /** Takes the orders that no follower has, again and again. */
  async #takeOrders(): Promise<void> {
    const { clock, intervalMs } = this.#settings;
    const outage = new JournalOutage(this.#settings);
    for (;;) {
      const startedAt = clock.now();
      const listed = await this.#listFree().catch((error: unknown) => ({ error }));
      const passedMs = clock.now() - startedAt;
      const wasSuspended = passedMs > LONGEST_JOURNAL_MS;
      const nextAt = clock.now() + Math.max(intervalMs, wasSuspended ? 0 : PAUSE_PER_LISTING * passedMs);
      const failure = "error" in listed ? listed : await this.#takeListed(listed, nextAt);
      this.#stop.signal.throwIfAborted();
      if (failure === null) outage.end();
      const pauseMs = failure === null ? nextAt - clock.now() : outage.failed(failure.error);
      await clock.sleep(Math.max(0, pauseMs), this.#stop.signal);
    }
  }

  /** The orders to take: tenants take turns. In a random sequence, since short-lived followers would all read only the oldest ones. */
  async #listFree(): Promise<Turns<UnacknowledgedOrder>> {
    const { clock, random, maxAgeMs, isDue = () => true } = this.#settings;
    const turns = new Turns<UnacknowledgedOrder>();
    const since = dateAt(wallTime(clock) - maxAgeMs);
    const listed = await listOrders(this.#journal, since, this.#settings, this.#stop.signal);
    for (const [order] of listed.map((order) => [order, random()] as const).sort((a, b) => a[1] - b[1]))
      if (this.#isFree(order) && isDue(order)) turns.add(order.tenant ?? null, order);
    return turns;
  }

  /**
   * Takes the listed orders, until a time at which the journal is listed anew.
   *
   * @returns a failure of the journal; one order whose entry cannot be read does not stop the others
   */
  async #takeListed(listed: Turns<UnacknowledgedOrder>, until: number): Promise<{ error: unknown } | null> {
    let failure: { error: unknown } | null = null;
    let inARow = 0;
    for await (const order of this.#fitting(listed, until)) {
      if (this.#stop.signal.aborted) break;
      const error = await this.#take(order);
      failure ??= error;
      inARow = error === null ? 0 : inARow + 1;
      if (inARow === MOST_FAILURES_IN_A_ROW) break;
    }
    return failure;
  }

  #isFree({ key, follower, since }: UnacknowledgedOrder): boolean {
    const { clock, maxAgeMs } = this.#settings;
    const now = wallTime(clock);
    // A journal of an application may ignore `since`.
    const isTooOld = (parseDate(since) ?? now) < now - maxAgeMs;
    if (this.#foreign.isPaused(key, clock.now())) return false;
    return !this.#orders.has(key) && !isHeld(follower, now) && !isTooOld;
  }

  /** The orders that this follower may take now, then those for which it has to wait until others have ended. */
  async *#fitting(listed: Turns<UnacknowledgedOrder>, until: number): AsyncGenerator<UnacknowledgedOrder> {
    const { clock, concurrency } = this.#settings;
    const crowded = new Set<string | null>();
    const left: UnacknowledgedOrder[] = [];
    for (const order of listed) {
      const { tenant = null } = order;
      if (!crowded.has(tenant) && (await this.#admits(tenant))) {
        yield order;
      } else {
        crowded.add(tenant);
        left.push(order);
      }
    }
    for (const order of left) {
      while (this.#orders.size >= concurrency) {
        if (clock.now() >= until || this.#stop.signal.aborted) return;
        await this.#untilOneEnds(until);
      }
      yield order;
    }
  }

  /** Whether one more order of a tenant fits. It may replace an order of a tenant that has more. */
  async #admits(tenant: string | null): Promise<boolean> {
    while (this.#orders.size >= this.#settings.concurrency) {
      const replaced = this.#orderToLeave(tenant);
      if (replaced === null) return false;
      replaced.lease.abort();
      await replaced.work;
    }
    return true;
  }

  /** The last order of the tenant that has the most, if that leaves this tenant no more than the other one; or `null`. */
  #orderToLeave(tenant: string | null): HeldOrder | null {
    const ofTenants = new Map<string | null, HeldOrder[]>([[tenant, []]]);
    for (const order of this.#orders.values()) {
      const others = ofTenants.get(order.tenant);
      if (others === undefined) ofTenants.set(order.tenant, [order]);
      else others.push(order);
    }
    const own = ofTenants.get(tenant)?.length ?? 0;
    const most = [...ofTenants.values()].reduce((one, two) => (two.length > one.length ? two : one));
    return own + 1 < most.length ? (most.findLast(({ isWaiting }) => isWaiting) ?? null) : null;
  }

  /** Resolves when an order has ended, at a time, and when the follower is stopped. */
  async #untilOneEnds(until: number): Promise<void> {
    const { clock } = this.#settings;
    const ended = new Aborter();
    this.#orderEnded = () => ended.abort();
    const abort = onAbort(this.#stop.signal, () => ended.abort());
    await clock.sleep(until - clock.now(), ended.signal).catch(() => {});
    abort.remove();
  }

  async #take({ key, tenant }: UnacknowledgedOrder): Promise<{ error: unknown } | null> {
    // The list of a custom journal may repeat an order.
    if (this.#orders.has(key)) return null;
    try {
      const { clock, redactor } = this.#settings;
      const slot = new Slot(this.#journal, key, redactor, clock);
      const lease = await OrderLease.take(slot, this.#terms);
      if (lease === null) return null;
      const order: HeldOrder = { lease, tenant: tenant ?? null, work: Promise.resolve(), isWaiting: true };
      order.work = this.#work(order)
        .catch((error: unknown) => this.#fail(error))
        .then(() => lease.release())
        .then(() => {
          this.#orders.delete(key);
          this.#orderEnded();
        });
      this.#orders.set(key, order);
      if (this.#stop.signal.aborted) lease.abort();
      return null;
    } catch (error) {
      return { error };
    }
  }

  /** Waits for the end of an order, and delivers it. */
  async #work(held: HeldOrder): Promise<void> {
    const { lease } = held;
    const { key, entry } = lease;
    const end = await this.#endOf(lease);
    held.isWaiting = false;
    if (end === null) return;
    const order = { deliveryId: `msg_${entry.task_id}`, key, entry, end };
    // Before the delivery: an application may change what it receives.
    const status = statusOf(end);
    await this.#settings.deliver(
      order,
      (delivery) => this.#record(lease, status, delivery),
      this.#stop.signal,
    );
  }

  /**
   * `null`: the order belongs to another follower, this one was stopped, or the task could not be read, for example since it belongs to
   * another account. Then the order is taken again later: its task may still end in success.
   *
   * @throws AuthenticationError, InvalidOptionError the API key is refused or malformed
   */
  async #endOf(lease: OrderLease): Promise<OrderEnd["end"] | null> {
    const { key, entry, signal } = lease;
    const { clock } = this.#settings;
    try {
      return { task: await this.#settings.wait(key, entry, signal) };
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof TaskNotFoundError && this.#foreign.include(error, key, entry, clock.now()))
        return null;
      if (isEnd(error)) return { error };
      // Another key can read the task.
      if (error instanceof AuthenticationError || error instanceof InvalidOptionError) throw error;
      return null;
    }
  }

  /** Records what became of an end: the key closes here. Tries again while the journal fails, until the follower is stopped. */
  async #record(lease: OrderLease, status: FinalStatus | null, delivery: "acknowledged" | OrderDelivery) {
    const { clock } = this.#settings;
    const { signal } = this.#stop;
    const outage = new JournalOutage(this.#settings);
    for (;;) {
      try {
        await (delivery === "acknowledged" ? lease.acknowledge(status) : lease.postpone(status, delivery));
        return;
      } catch (error) {
        if (signal.aborted) return;
        await clock.sleep(outage.failed(error), signal).catch(() => {});
      }
    }
  }

  async #renewLeases(): Promise<void> {
    const { clock, leaseMs } = this.#settings;
    for (;;) {
      await clock.sleep(leaseMs / 3, this.#stop.signal);
      // A lease that cannot be renewed may run out: then the end may be delivered twice, with one ID.
      await Promise.all([...this.#orders.values()].map(({ lease }) => lease.renew().catch(() => {})));
    }
  }
}

/** Whether an order has ended with this error: its task failed, has an unusable result, or does not exist. */
function isEnd(error: unknown): boolean {
  if (error instanceof TaskNotFoundError) return error.errorCode === "task_not_found";
  return error instanceof TaskFailedError || error instanceof InvalidResponseError;
}

function statusOf(end: OrderEnd["end"]): FinalStatus | null {
  if ("task" in end || end.error instanceof InvalidResponseError) return "success";
  const { error } = end;
  return error instanceof TaskFailedError && isFinalStatus(error.task.status) ? error.task.status : null;
}
