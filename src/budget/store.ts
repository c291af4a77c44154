import type { BudgetReservation, Journal, JournalEntry } from "../journal/journal.js";

/** A reservation that has not ended. */
export interface OpenReservation extends BudgetReservation {
  /** The journal key that has it; `null` without a journal. */
  readonly key: string | null;
  /** The task; `null` while it is not known. */
  readonly taskId: string | null;
}

/** A new reservation, and what limits it. */
export interface NewReservation {
  readonly reservation: BudgetReservation;
  readonly key: string | null;
  readonly maxCredits: number;
  /** Periods before this name can be removed. */
  readonly oldest: string;
}

/** Whether the reservation stands within the maximum, or was settled; and what is spent, and what other reservations hold, in its period. */
export interface ReserveResult {
  readonly isReserved: boolean;
  readonly spent: number;
  readonly reserved: number;
}

/** Writes an intent together with its reservation, or neither. `null`: the key does not hold the revision `previous`. */
export type PutReserving = (
  position: { key: string; entry: JournalEntry; previous: string | null },
  reserve: NewReservation,
) => Promise<ReserveResult | null>;

/** Where a budget keeps its numbers. Each method is atomic, and can be repeated: it changes nothing the second time. */
export interface BudgetStore {
  /**
   * Reserves, if that does not exceed the maximum of the tenant in the period. This also counts for a reservation that stands: another run
   * may have resumed it before its own run reserved it. A reservation that was settled stays so.
   */
  reserve(reserve: NewReservation): Promise<ReserveResult>;
  /** Charges these credits, once, even if the reservation was freed before. */
  settle(reservation: BudgetReservation, credits: number): Promise<void>;
  /** Frees a reservation that was not settled. */
  free(reservation: BudgetReservation): Promise<void>;
  name(reservation: BudgetReservation, taskId: string): Promise<void>;
  /** What a tenant has spent in a period, and its open reservations of all periods. */
  read(tenant: string, period: string): Promise<{ spent: number; open: OpenReservation[] }>;
  /** How an intent is written together with its reservation, if the store has this journal in its own database. */
  withJournal?(journal: Journal): PutReserving | null;
}
