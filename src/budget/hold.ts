import type { CreditCeilingError } from "../errors/base.js";
import type { BudgetReservation, Journal } from "../journal/journal.js";
import { LONGEST_CLEANUP_MS } from "../journal/slot.js";
import { untilAbort } from "../time/abort.js";
import { within } from "../time/deadline.js";
import type { BudgetHold, HeldCall } from "./budget.js";
import type { NewReservation, PutReserving, ReserveResult } from "./store.js";

type Write<Result> = (reserve: NewReservation) => Promise<Result>;

export interface HoldActions {
  readonly signal: AbortSignal | undefined;
  readonly left: HeldCall["left"];
  newReservation(): BudgetReservation;
  /** Whether the price would be reserved. @throws BudgetError */
  compare(reservation: BudgetReservation): Promise<ReserveResult>;
  /** Reserves, by `write` or by itself. @throws BudgetError */
  reserve(reservation: BudgetReservation): Promise<ReserveResult>;
  reserveBy<Result extends ReserveResult | null>(
    reservation: BudgetReservation,
    write: Write<Result>,
  ): Promise<Result>;
  refusal(result: ReserveResult): CreditCeilingError;
  free(reservation: BudgetReservation): Promise<void>;
  name(reservation: BudgetReservation, taskId: string): Promise<void>;
}

/** The price that is reserved for the attempts of one call: each attempt has a reservation of its own. */
export class Hold implements BudgetHold {
  readonly put: Journal["put"] | undefined;
  readonly #actions: HoldActions;
  /** What stands, or may stand, for the current attempt. */
  #reservation: BudgetReservation | null = null;
  #isReserved = false;

  constructor(actions: HoldActions, putReserving: PutReserving | null) {
    this.#actions = actions;
    this.put = putReserving === null ? undefined : (...values) => this.#putBy(putReserving, values);
  }

  async check(): Promise<void> {
    const result = await this.#actions.compare(this.#actions.newReservation());
    if (!result.isReserved) throw this.#actions.refusal(result);
  }

  begin(): BudgetReservation {
    this.#reservation = this.#actions.newReservation();
    this.#isReserved = false;
    return this.#reservation;
  }

  async reserve(): Promise<void> {
    if (this.#reservation === null || this.#isReserved) return;
    this.#note(await this.#actions.reserve(this.#reservation));
  }

  async free(given?: BudgetReservation): Promise<void> {
    const freed = given ?? this.#reservation;
    this.#reservation = null;
    if (freed !== null) await this.#actions.free(freed);
  }

  async take(): Promise<void> {
    const { signal, left } = this.#actions;
    signal?.throwIfAborted();
    this.begin();
    const taken = this.reserve()
      .then(() => signal?.throwIfAborted())
      .catch(async (error: unknown) => {
        await this.free();
        throw error;
      });
    await untilAbort(taken, signal, (reject) => {
      within(LONGEST_CLEANUP_MS, () => taken).catch(() => {
        left.push(taken.catch(() => {}));
        reject(signal?.reason);
      });
    });
  }

  release(): Promise<void> {
    return this.free();
  }

  async created(taskId: string): Promise<void> {
    if (this.#reservation !== null) await this.#actions.name(this.#reservation, taskId);
  }

  async #putBy(
    putReserving: PutReserving,
    [key, entry, previous]: Parameters<Journal["put"]>,
  ): Promise<boolean> {
    const reservation = this.#reservation ?? this.begin();
    const put = (reserve: NewReservation) => putReserving({ key, entry, previous }, reserve);
    const result = await this.#actions.reserveBy(reservation, put);
    if (result !== null) this.#note(result);
    return result !== null;
  }

  /** @throws CreditCeilingError */
  #note(result: ReserveResult): void {
    this.#isReserved = result.isReserved;
    if (!result.isReserved) throw this.#actions.refusal(result);
  }
}
