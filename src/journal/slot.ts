import { canonicalJson } from "../contract/canonical-json.js";
import type { Advice } from "../contract/message.js";
import type { FinalStatus } from "../contract/service.js";
import { isError, messageOfThrown } from "../contract/thrown.js";
import { CreditCeilingError, invalidOption, NOTHING_SENT } from "../errors/base.js";
import type { Redactor } from "../errors/redactor.js";
import { JournalConflictError, JournalError } from "../errors/task-errors.js";
import type { Clock } from "../time/clock.js";
import { within } from "../time/deadline.js";
import { systemUuid } from "../time/random.js";
import { withClockStopped } from "../time/stopped-clock.js";
import { LONGEST_UNSENT_MS } from "./in-flight.js";
import { isJournalEntry } from "./is-entry.js";
import type { Journal, JournalEntry, JournalIntent, JournalRecord } from "./journal.js";
import { notesOf, type ProcessNotes } from "./process-notes.js";

/** The longest time to record how a task ended, or to take back an intent that was not written, in real milliseconds. */
export const LONGEST_CLEANUP_MS = 1000;

/** A method of a journal or a budget that takes longer has failed, in real milliseconds: a task that was created must be reported. */
export const LONGEST_JOURNAL_MS = 30_000;

const TRY_AGAIN = "Fix the journal, then try again with the same journal key.";
const REFUSED = "The service refused this run's request, which created no task.";

/** One key of a journal. Everything that the journal throws, and every malformed entry, becomes a `JournalError`. */
export class Slot {
  readonly key: string;
  /** The key as messages show it. */
  readonly name: string;
  readonly notes: ProcessNotes;
  /** What the errors of this key state and advise if the journal fails. */
  advice: Advice = { facts: [NOTHING_SENT], advice: [TRY_AGAIN] };
  readonly #journal: Journal;
  readonly #redactor: Redactor;
  readonly #clock: Pick<Clock, "now"> | undefined;
  /** Whether the errors of this key state that the service refused a request. */
  #isRefused = false;

  /** @param clock - one that stands still, if it is virtual, while a call of the journal is in progress */
  constructor(journal: Journal, key: string, redactor: Redactor, clock?: Pick<Clock, "now">) {
    this.key = key;
    this.name = JSON.stringify(key);
    this.notes = notesOf(journal);
    this.#journal = journal;
    this.#redactor = redactor;
    this.#clock = clock;
  }

  /** From now on, the errors of this key state that the service refused a request. */
  noteRefused(): void {
    this.#isRefused = true;
    this.advice = { facts: [REFUSED], advice: [TRY_AGAIN] };
  }

  async read(): Promise<JournalEntry | null> {
    const entry: unknown = (await this.#call("read", () => this.#journal.get(this.key))) ?? null;
    if (entry === null || isJournalEntry(entry)) return entry;
    throw this.failure("the journal returned something other than an entry", undefined, this.advice);
  }

  /**
   * Resolves with `false` if the current entry is neither `previous` nor this entry.
   *
   * @param write - replaces `put` of the journal, for a write that changes more than the entry
   */
  async put(entry: JournalEntry, previous: string | null, write?: Journal["put"]): Promise<boolean> {
    // A copy, which a custom journal may change.
    const safe = structuredClone(this.#redactor.data(entry));
    const put: Journal["put"] = write ?? ((...values) => this.#journal.put(...values));
    const isPut = await this.#call("written", () => put(this.key, safe, previous));
    // After a lost response, a retry inside the database client finds the entry that its first try wrote.
    return isPut === true || (await this.read())?.revision === entry.revision;
  }

  /** Frees the key if it still has this entry; resolves with whether it did. */
  async free(revision: string): Promise<boolean> {
    const isDeleted: unknown = await this.#call("deleted", () => this.#journal.delete(this.key, revision));
    // A custom journal may return nothing: read the key instead.
    return typeof isDeleted === "boolean" ? isDeleted : (await this.read()) === null;
  }

  /** Refuses a planned request that contains the API key: its record would never be equal to it. Frees the key. */
  async refuseSecret(planned: JournalIntent): Promise<void> {
    if (canonicalJson(this.#redactor.data(planned.request)) === canonicalJson(planned.request)) return;
    await this.free(planned.revision);
    throw invalidOption(
      "request",
      `The request that was planned with journal key ${this.name} contains the API key`,
      "Nothing was sent, and the key is free. Plan the order again without the API key.",
    );
  }

  /**
   * Records how the task ended. Never rejects, and takes a second at most: a key whose end is not recorded only stays in the
   * list of open keys.
   */
  async close(entry: JournalRecord, status: FinalStatus): Promise<void> {
    await within(LONGEST_CLEANUP_MS, () => this.#withClockStopped(this.#close(entry, status))).catch(
      () => {},
    );
  }

  async #close(entry: JournalRecord, status: FinalStatus): Promise<void> {
    if (entry.status === status) return;
    const { acknowledged = false } = entry;
    const closed = this.#redactor.data({ ...entry, revision: newRevision(), status, acknowledged });
    if (await this.#journal.put(this.key, closed, entry.revision)) return;
    // A follower may have renewed its lease of the order.
    const latest = await this.#journal.get(this.key);
    const isSameTask = latest?.state === "submitted" && latest.task_id === entry.task_id;
    if (isSameTask && latest.revision !== entry.revision) await this.#close(latest, status);
  }

  /** How many other keys have an intent: a POST whose outcome is not known. A journal of one's own may not list them. */
  async otherIntents(): Promise<number> {
    const open = await this.#call("listed", async () => (await this.#journal.open?.()) ?? []);
    return open.filter(({ key, state }) => state === "intent" && key !== this.key).length;
  }

  conflict(entry: JournalEntry): JournalConflictError {
    const task = entry.state === "submitted" ? `, which created task ${entry.task_id}` : "";
    const parts = {
      what: `Journal key ${this.name} belongs to another request${task}`,
      facts: [NOTHING_SENT],
      advice: ["Pass the original request, or choose a new journal key, which charges again."],
    };
    return new JournalConflictError(parts, { journalKey: this.key });
  }

  failure(reason: string, thrown: unknown, advice: Advice, taskId?: string): JournalError {
    const cause = this.#redactor.cause(thrown);
    const reasonOfCause = isError(cause) ? `: ${this.#redactor.text(messageOfThrown(cause))}` : "";
    const parts = { what: `Journal key ${this.name}`, why: `${reason}${reasonOfCause}`, ...advice };
    const sent = this.#isRefused || taskId !== undefined;
    return new JournalError(parts, { journalKey: this.key, taskId, sent, cause });
  }

  /** The error for an intent that is too old for its POST: the journal, or the budget, was too slow. */
  tooLate(): JournalError {
    const seconds = LONGEST_UNSENT_MS / 1000;
    const reason = `the request was not sent, since recording it and reserving its price took longer than ${seconds} s`;
    return this.failure(reason, undefined, this.advice);
  }

  async #call<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await within(LONGEST_JOURNAL_MS, () => this.#withClockStopped(work()));
    } catch (cause) {
      if (cause instanceof JournalConflictError || cause instanceof CreditCeilingError) throw cause;
      throw this.failure(`the entry could not be ${what}`, cause, this.advice);
    }
  }

  #withClockStopped<Value>(call: Promise<Value>): Promise<Value> {
    return this.#clock === undefined ? call : withClockStopped(this.#clock, call);
  }
}

/** Ignores the client's `random`: with one seed, two processes would give their entries the same revision. */
export const newRevision = systemUuid;
