import { CreditCeilingError } from "../errors/base.js";
import { type Clock, createSystemClock, wallTime } from "../time/clock.js";
import { dateAt } from "../time/date.js";
import { within } from "../time/deadline.js";
import { AlreadyTaken } from "./already-taken.js";
import { isFreed } from "./entries.js";
import { LONGEST_UNSENT_MS } from "./in-flight.js";
import type { BudgetReservation, Journal, JournalEntry, JournalIntent } from "./journal.js";
import { tryLater } from "./later-tries.js";
import { LONGEST_CLEANUP_MS, newRevision, type Slot } from "./slot.js";

/** What a key holds while no POST for it may be in flight. */
export interface FreeKey {
  /** The revision that an intent replaces; `null` if the key holds nothing. */
  revision: string | null;
  /** The settlement or the plan that is restored after a refusal; `null` if the intent is deleted then. */
  freed: JournalIntent | null;
}

/** Whether a run may send a POST for a key that holds this entry; `null` if it may not. */
export function freeKeyOf({ notes }: Slot, entry: JournalEntry | null): FreeKey | null {
  if (entry === null) return { revision: null, freed: null };
  const { revision } = entry;
  if (isFreed(entry)) return { revision, freed: entry };
  const restored = notes.unsent.get(revision);
  return restored === undefined ? null : { revision, freed: restored };
}

/** Reserves the price of a task in a budget. A reservation stands only while an intent or a record names it. */
export interface IntentHold {
  /** Writes an intent and the reservation that it names in one step, if one database holds both. */
  readonly put: Journal["put"] | undefined;
  /** A new reservation, for the next intent. */
  begin(): BudgetReservation;
  /** Reserves, unless `put` did. @throws CreditCeilingError it does not fit; BudgetError the budget fails */
  reserve(): Promise<void>;
  /** Frees what may be reserved, or this. Never rejects. */
  free(reservation?: BudgetReservation): Promise<void>;
}

/** The intent of a run. It stands in the journal only while a POST may be in flight; each attempt has one of its own. */
export class IntentClaim {
  /** The intent that stands; `null` while no POST may be in flight. */
  intent: JournalIntent | null = null;
  /** What was thrown when the last intent could not be removed although no POST is in flight. */
  failure: { thrown: unknown } | null = null;
  readonly #slot: Slot;
  readonly #fields: Omit<JournalIntent, "state" | "revision" | "at">;
  readonly #clock: Clock;
  readonly #hold: IntentHold | undefined;
  #key: FreeKey;

  constructor(
    slot: Slot,
    key: FreeKey,
    fields: Omit<JournalIntent, "state" | "revision" | "at">,
    clock: Clock,
    hold?: IntentHold,
  ) {
    this.#slot = slot;
    this.#key = key;
    this.#fields = fields;
    this.#clock = clock;
    this.#hold = hold;
  }

  /**
   * @throws AlreadyTaken the key holds something else by now; JournalError the journal fails, or it or the budget is too slow;
   * CreditCeilingError the budget is exhausted; BudgetError the budget fails
   */
  async take(): Promise<void> {
    const slot = this.#slot;
    const hold = this.#hold;
    const { revision: previous, freed } = this.#key;
    const system = createSystemClock();
    const begunAt = system.now();
    const at = dateAt(wallTime(this.#clock)).toISOString();
    const intent: JournalIntent = { state: "intent", revision: newRevision(), at, ...this.#fields };
    if (hold !== undefined) intent.reservation = hold.begin();
    // Before it is sent, since a write that fails may take effect later.
    slot.notes.noteUnsent(intent.revision, freed);
    let isPut: boolean;
    try {
      isPut = await slot.put(intent, previous, hold?.put);
    } catch (error) {
      if (error instanceof CreditCeilingError) {
        slot.notes.unsent.delete(intent.revision);
        throw error;
      }
      this.#key = { revision: intent.revision, freed };
      await hold?.free();
      await within(LONGEST_CLEANUP_MS, () => restore(slot, intent.revision, freed)).catch(() => {});
      await this.#freeAgain(intent);
      throw error;
    }
    slot.notes.unsent.delete(intent.revision);
    if (!isPut) throw new AlreadyTaken("Another run has taken the journal key.");
    if (previous !== null) slot.notes.unsent.delete(previous);
    this.intent = intent;
    this.failure = null;
    try {
      await hold?.reserve();
      // Other processes compute from the intent's time how long its POST may be in flight. A virtual clock may have skipped.
      if (system.now() > begunAt + LONGEST_UNSENT_MS) throw slot.tooLate();
    } catch (error) {
      await this.release("not_sent");
      throw error;
    }
  }

  /** The attempt certainly created no task. Never rejects. */
  async release(why: "not_sent" | "refused"): Promise<void> {
    const slot = this.#slot;
    const { intent } = this;
    if (intent === null) return;
    this.intent = null;
    if (why === "refused") slot.noteRefused();
    await this.#hold?.free();
    const { freed } = this.#key;
    slot.notes.noteUnsent(intent.revision, freed);
    try {
      this.#key = await restore(slot, intent.revision, freed);
    } catch (thrown) {
      this.failure = { thrown };
      this.#key = { revision: intent.revision, freed };
    }
    await this.#freeAgain(intent);
  }

  /** Until the key was free, another run could find the intent and reserve again. */
  async #freeAgain({ reservation }: JournalIntent): Promise<void> {
    if (reservation !== undefined) await this.#hold?.free(reservation);
  }

  /** Tries to remove the intent again: see `tryLater`. If the key does not hold it, a write that failed may still take effect. */
  async restoreLater(): Promise<void> {
    const { revision, freed } = this.#key;
    if (revision === null) return;
    const isRestored = () => !this.#slot.notes.unsent.has(revision);
    await tryLater(this.#clock, isRestored, () => restore(this.#slot, revision, freed));
  }
}

/** Restores what the key held before an intent, unless the key holds something else by now. @throws JournalError */
async function restore(slot: Slot, revision: string, freed: JournalIntent | null): Promise<FreeKey> {
  const restored = freed && { ...freed, revision: newRevision() };
  const isRestored = await (restored === null ? slot.free(revision) : slot.put(restored, revision));
  if (isRestored) slot.notes.unsent.delete(revision);
  return { revision: restored?.revision ?? null, freed: restored };
}
