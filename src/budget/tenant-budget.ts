import { HIGHEST_PRICE, listedPrice } from "../contract/prices.js";
import type { Task } from "../contract/task.js";
import { messageOfThrown } from "../contract/thrown.js";
import { BudgetError, CreditCeilingError, NOTHING_SENT, wrongValue } from "../errors/base.js";
import { checkOption } from "../errors/options.js";
import { createRedactor } from "../errors/redactor.js";
import { isFreed } from "../journal/entries.js";
import { isJournalEntry } from "../journal/is-entry.js";
import type { BudgetReservation, JournalEntry } from "../journal/journal.js";
import { keepLatest } from "../journal/process-notes.js";
import { LONGEST_JOURNAL_MS } from "../journal/slot.js";
import { type Clock, createSystemClock, wallTime } from "../time/clock.js";
import { within } from "../time/deadline.js";
import { systemUuid } from "../time/random.js";
import {
  type Budget,
  type BudgetHold,
  type BudgetOptions,
  type BudgetUsage,
  type HeldCall,
  type JournalPosition,
  madeBudget,
  type ReservingBudget,
  tenantRule,
} from "./budget.js";
import { Hold, type HoldActions } from "./hold.js";
import { Periods, periodOf, reservationId } from "./period.js";
import type { BudgetStore, NewReservation, OpenReservation, ReserveResult } from "./store.js";

/** How long the ends of reservations may delay the result of a call, in real milliseconds. */
const LONGEST_END_MS = 5000;

/** The most journal entries of one tenant that are read at the same time: other tenants use the same database. */
const MOST_READS = 4;

/** The most reservations of each kind that a process notes. */
const MOST_NOTES = 10_000;

/** How a reservation ends: the credits to charge, 0 to free them, and the task, if one has ended. */
type ReservationEnd = readonly [credits: number, taskId?: string];

export function budgetOf(store: BudgetStore, options: BudgetOptions): Budget {
  return madeBudget(new TenantBudget(store, options));
}

/** What every budget does, on a store of its own. */
export class TenantBudget implements ReservingBudget {
  readonly #store: BudgetStore;
  readonly #options: BudgetOptions;
  readonly #periods: Periods;
  #clock: Pick<Clock, "now">;
  /** By the ID of a reservation: the journal and the key that have it, as far as this process has seen them. */
  readonly #positions = new Map<string, JournalPosition>();
  /** By the ID of a reservation or of its task: its end. The store does not have it yet, since it is slow or failed. */
  readonly #unwritten = new Map<string, ReservationEnd>();
  /** By the ID of a task: its reservation, where the store could not note the task. */
  readonly #unnamed = new Map<string, BudgetReservation>();
  /** By period and tenant: the comparison with the journal that is in progress. */
  readonly #rounds = new Map<string, Promise<void>>();

  constructor(store: BudgetStore, options: BudgetOptions) {
    this.#store = store;
    this.#options = options;
    this.#periods = new Periods(options);
    this.#clock = options.clock ?? createSystemClock();
  }

  async usage(tenant: string): Promise<BudgetUsage> {
    checkOption("tenant", tenantRule, tenant);
    const { name, until } = this.#periods.at(wallTime(this.#clock));
    await this.#reconcile(tenant, name);
    const { spent, open } = await this.#read(tenant, name);
    const { maxCredits } = this.#options;
    return { spent, reserved: creditsOf(open), maxCredits, until };
  }

  async hold({ tenant, request, clock, position, signal, left }: HeldCall): Promise<BudgetHold> {
    this.#clock = this.#options.clock ?? clock;
    const { maxCredits, journal } = this.#options;
    if (journal !== undefined && position !== null && position.journal !== journal)
      throw wrongValue("journal", "be the journal that the budget was made with");
    const credits = listedPrice(request) ?? HIGHEST_PRICE;
    const actions: HoldActions = {
      signal,
      left,
      newReservation: () => {
        const id = reservationId(this.#periods.at(wallTime(this.#clock)), systemUuid());
        return { id, tenant, credits };
      },
      compare: (reservation) => this.#reserve(reservation, null, (reserve) => this.#compare(reserve)),
      reserve: (reservation) =>
        this.#reserve(reservation, position, (reserve) =>
          this.#call(tenant, "reserve", () => this.#store.reserve(reserve)),
        ),
      reserveBy: (reservation, write) => this.#reserve(reservation, position, write),
      refusal: ({ spent, reserved }) =>
        new CreditCeilingError({ tenant, credits, spentCredits: spent + reserved, reserved, maxCredits }),
      free: (reservation) => this.free(reservation),
      name: (reservation, taskId) => this.#name(reservation, taskId),
    };
    return new Hold(actions, (position && this.#store.withJournal?.(position.journal)) ?? null);
  }

  async resume(
    reservation: BudgetReservation,
    position: JournalPosition,
    taskId: string | null,
  ): Promise<void> {
    this.#note(reservation, position);
    const { oldest } = this.#periods.at(wallTime(this.#clock));
    const reserve = { reservation, key: position.key, maxCredits: Number.MAX_SAFE_INTEGER, oldest };
    // The task exists, so its run continues all the same: its end counts, whatever is reserved.
    await within(LONGEST_END_MS, async () => {
      await this.#store.reserve(reserve);
      if (taskId === null) return;
      // Read after the reservation, since another process may write it meanwhile. A maximum of -1 reserves nothing.
      const refund = { ...reserve, reservation: refundOf(reservation, taskId), maxCredits: -1 };
      if ((await this.#store.reserve(refund)).isReserved) await this.free(reservation);
    }).catch(() => {});
    if (taskId !== null) await this.#name(reservation, taskId);
  }

  #note({ id }: BudgetReservation, position: JournalPosition): void {
    this.#positions.set(id, position);
    keepLatest(this.#positions, MOST_NOTES);
  }

  async free(reservation: BudgetReservation): Promise<void> {
    await this.#end(reservation, [0]);
  }

  async ended(task: Task, known: BudgetReservation | null, tenant: string | undefined): Promise<void> {
    const taskId = task.task_id;
    const end: ReservationEnd = [task.status === "success" ? task.credits_cost : 0, taskId];
    this.#noteUnwritten(taskId, end);
    const reservation = known ?? this.#unnamed.get(taskId);
    this.#unnamed.delete(taskId);
    try {
      if (reservation !== undefined) await this.#end(reservation, end);
      else if (tenant !== undefined && !(await within(LONGEST_END_MS, () => this.#endFound(taskId, tenant))))
        return;
      this.#unwritten.delete(taskId);
    } catch {
      // The end is written when the budget is read next.
    }
  }

  async hasEnded({ id }: BudgetReservation): Promise<boolean> {
    return !this.#unwritten.has(id);
  }

  /** Reserves. If that does not fit, frees what is no longer needed, and tries once more. */
  async #reserve<Result extends ReserveResult | null>(
    reservation: BudgetReservation,
    position: JournalPosition | null,
    write: (reserve: NewReservation) => Promise<Result>,
  ): Promise<Result> {
    const { maxCredits } = this.#options;
    const { oldest } = this.#periods.at(wallTime(this.#clock));
    const reserve = { reservation, key: position?.key ?? null, maxCredits, oldest };
    let result = await write(reserve);
    if (result?.isReserved === false && result.reserved > 0) {
      await this.#reconcile(reservation.tenant, periodOf(reservation));
      result = await write(reserve);
    }
    if (position !== null && result?.isReserved) this.#note(reservation, position);
    return result;
  }

  /** What reserving would result in now. */
  async #compare({ reservation, maxCredits }: NewReservation): Promise<ReserveResult> {
    const { spent, open } = await this.#read(reservation.tenant, periodOf(reservation));
    const reserved = creditsOf(open);
    return { isReserved: spent + reserved + reservation.credits <= maxCredits, spent, reserved };
  }

  /** The state of a period, with its own open reservations. */
  async #read(tenant: string, period: string) {
    const { spent, open } = await this.#call(tenant, "read", () => this.#store.read(tenant, period));
    return { spent, open: open.filter((each) => periodOf(each) === period) };
  }

  /** Settles or frees the reservations that have ended, as far as that is possible in the time. Never rejects. */
  #reconcile(tenant: string, period: string): Promise<void> {
    return within(LONGEST_END_MS, () => this.#nextRound(tenant, period)).catch(() => {});
  }

  /**
   * A round reads the entries of all open orders, so each tenant has one at a time. The calls that find one in progress share the
   * next one, which also finds what ended after the current one had read it.
   */
  async #nextRound(tenant: string, period: string): Promise<void> {
    const name = `${period}/${tenant}`;
    await this.#rounds.get(name)?.catch(() => {});
    const round =
      this.#rounds.get(name) ?? this.#endAll(tenant, period).finally(() => this.#rounds.delete(name));
    this.#rounds.set(name, round);
    await round;
  }

  async #endAll(tenant: string, period: string): Promise<void> {
    // The tasks that could not be noted in the store before, until that fails again.
    for (const [taskId, reservation] of this.#unnamed) {
      if (reservation.tenant !== tenant) continue;
      await this.#name(reservation, taskId);
      if (this.#unnamed.has(taskId)) break;
    }
    const { open } = await this.#read(tenant, period);
    const left = open.values();
    await Promise.all(Array.from({ length: MOST_READS }, () => this.#endEach(left)));
  }

  /** Settles or frees those of these reservations that have ended. */
  async #endEach(reservations: Iterable<OpenReservation>): Promise<void> {
    for (const each of reservations) {
      const end = await this.#endOf(each);
      if (end !== null) await this.#end(each, end);
    }
  }

  /** The end of a reservation; `null` if it has not ended. */
  async #endOf(reservation: OpenReservation): Promise<ReservationEnd | null> {
    const { id, taskId, key } = reservation;
    const unwritten = this.#unwritten.get(id) ?? this.#unwritten.get(taskId ?? "");
    if (unwritten !== undefined) return unwritten;
    const { journal } = this.#options;
    const ofAll = journal === undefined || key === null ? null : { journal, key };
    const position = this.#positions.get(id) ?? ofAll;
    if (position === null) return null;
    try {
      const entry: unknown =
        (await within(LONGEST_JOURNAL_MS, () => position.journal.get(position.key))) ?? null;
      if (entry !== null && !isJournalEntry(entry)) return null;
      const credits = endByEntry(entry, reservation);
      if (credits !== null) return [credits];
      // A run that crashed may have recorded its task, and the store does not have the ID.
      return this.#unwritten.get(entry?.state === "submitted" ? entry.task_id : "") ?? null;
    } catch {
      // The journal fails: the reservation may still be needed.
      return null;
    }
  }

  /** If the store cannot be changed now, the end is written when the budget is read next. */
  async #end(reservation: BudgetReservation, end: ReservationEnd): Promise<void> {
    const { id, tenant, credits: reserved } = reservation;
    const ended = { id, tenant, credits: reserved };
    const [credits, taskId] = end;
    this.#noteUnwritten(id, end);
    try {
      const write = async () => {
        if (credits > 0) return this.#store.settle(ended, credits);
        if (taskId !== undefined) await this.#store.settle(refundOf(ended, taskId), 0);
        return this.#store.free(ended);
      };
      await within(LONGEST_END_MS, write);
      this.#unwritten.delete(id);
      this.#unwritten.delete(taskId ?? "");
      this.#positions.delete(id);
    } catch {
      // It is noted.
    }
  }

  #noteUnwritten(id: string, end: ReservationEnd): void {
    this.#unwritten.set(id, end);
    keepLatest(this.#unwritten, MOST_NOTES);
  }

  async #name(reservation: BudgetReservation, taskId: string): Promise<void> {
    try {
      await within(LONGEST_END_MS, () => this.#store.name(reservation, taskId));
      this.#unnamed.delete(taskId);
    } catch {
      this.#unnamed.set(taskId, reservation);
      keepLatest(this.#unnamed, MOST_NOTES);
    }
  }

  /**
   * Ends the reservation of a task whose end is noted. If none has its ID, the journal may name the task of one without an ID.
   * Resolves with `false` if another process may still note the ID.
   */
  async #endFound(taskId: string, tenant: string): Promise<boolean> {
    const { open } = await this.#store.read(tenant, "");
    const of = (id: string | null) => open.filter((each) => each.taskId === id);
    const [named, unnamed] = [of(taskId), of(null)];
    await this.#endEach(named.length > 0 ? named : unnamed);
    return named.length > 0 || unnamed.length === 0;
  }

  #call<Value>(tenant: string, verb: string, work: () => Promise<Value>): Promise<Value> {
    return within(LONGEST_JOURNAL_MS, work).catch((thrown: unknown) => {
      // The error of a Redis client may contain the password.
      const cause = createRedactor("").cause(thrown);
      const what = `Failed to ${verb} credits of tenant ${JSON.stringify(tenant)}`;
      const why = messageOfThrown(cause);
      throw new BudgetError({ what, why, facts: [NOTHING_SENT] }, { tenant, cause });
    });
  }
}

/**
 * What the entry of its key says about a reservation: the credits to charge, 0 to free them, `null` while its end may still be found. If
 * the entry of a task is gone, or a follower did not find the task, it is unknown whether it was refunded: its price counts as spent, so
 * that the budget is never exceeded. A task that a person named may be the wrong one: the reservation is kept until that is corrected.
 */
function endByEntry(entry: JournalEntry | null, { id, taskId, credits }: OpenReservation): number | null {
  if (entry === null || entry.reservation?.id !== id) return taskId === null ? 0 : credits;
  if (isFreed(entry)) return 0;
  if (entry.state === "intent") return null;
  const { status, acknowledged, settled, submission } = entry;
  const isOver = status === undefined ? acknowledged === true && settled !== true : status === "success";
  if (isOver) return submission?.credits_charged ?? credits;
  return status === undefined ? null : 0;
}

/**
 * Settled with 0 credits if a task ended without a charge. The reservation itself is not settled: the key may have a wrong task,
 * and be corrected.
 */
function refundOf(reservation: BudgetReservation, taskId: string): BudgetReservation {
  return { ...reservation, id: reservationId({ name: periodOf(reservation) }, encodeURIComponent(taskId)) };
}

function creditsOf(open: readonly OpenReservation[]): number {
  return open.reduce((sum, { credits }) => sum + credits, 0);
}
