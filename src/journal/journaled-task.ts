import type { Advice } from "../contract/message.js";
import type { FinalStatus } from "../contract/service.js";
import type { TaskSubmission } from "../contract/task.js";
import { isError } from "../contract/thrown.js";
import { resumeAdvice } from "../errors/base.js";
import type { JournalError } from "../errors/task-errors.js";
import type { Clock } from "../time/clock.js";
import { isFreed } from "./entries.js";
import type { JournalIntent, JournalRecord } from "./journal.js";
import { tryLater } from "./later-tries.js";
import type { CreatedTask } from "./process-notes.js";
import { newRevision, type Slot } from "./slot.js";

/** The task of a journal key: one that the journal has, or one that was submitted now and is to be recorded. */
export class JournaledTask {
  /** Whether an earlier run has submitted the task, and no run has recorded its end: another process may be polling it. */
  readonly isResumed: boolean;
  readonly #slot: Slot;
  readonly entry: JournalRecord;
  /** The revision of the intent that the record replaces; `null` if the journal has the record. */
  #intent: string | null;
  /** The try to record it that is in progress. */
  #recording: Promise<JournalError | null> | null = null;

  private constructor(slot: Slot, entry: JournalRecord, intent: string | null) {
    this.#slot = slot;
    this.entry = entry;
    this.#intent = intent;
    this.isResumed = intent === null && entry.status === undefined;
  }

  /** The task that an earlier run has recorded. */
  static found(slot: Slot, entry: JournalRecord): JournaledTask {
    return new JournaledTask(slot, entry, null);
  }

  /** The task that was created under an intent. Until it is recorded, this process notes it, for the next run with the key. */
  static created(slot: Slot, intent: JournalIntent, created: CreatedTask): JournaledTask {
    const { taskId, submission } = created;
    slot.notes.noteUnrecorded(intent.revision, created);
    const record = { state: "submitted", revision: newRevision(), task_id: taskId, submission } as const;
    return new JournaledTask(slot, { ...intent, ...record }, intent.revision);
  }

  get isRecorded(): boolean {
    return this.#intent === null;
  }

  get key(): string {
    return this.#slot.key;
  }

  /** The response of the service, now or earlier; only the ID if nothing else could be read. */
  get task(): TaskSubmission | string {
    return this.entry.submission ?? this.entry.task_id;
  }

  /**
   * Records the task, unless the journal has it. Resolves with the error if that fails: the run continues, since the task exists.
   * Calls at the same time share one try.
   */
  record(): Promise<JournalError | null> {
    this.#recording ??= this.#tryToRecord().finally(() => {
      this.#recording = null;
    });
    return this.#recording;
  }

  async #tryToRecord(): Promise<JournalError | null> {
    if (this.#intent === null) return null;
    try {
      const isPut = (await this.#slot.put(this.entry, this.#intent)) || (await this.#reconcile());
      if (!isPut)
        return this.failure(
          ", since the journal key holds another entry",
          undefined,
          resumeAdvice(undefined, this.entry.task_id),
        );
      this.#slot.notes.unrecorded.delete(this.#intent);
      this.#intent = null;
      return null;
    } catch (error) {
      return this.failure("", causeOf(error));
    }
  }

  /** The error for a task that is not recorded. */
  failure(why: string, cause: unknown, advice?: Advice): JournalError {
    const { task_id: taskId } = this.entry;
    const reason = `task ${taskId} was created, but could not be recorded${why}`;
    const settle = `Call settleOutcome(journal, ${this.#slot.name}, ${JSON.stringify(taskId)}).`;
    return this.#slot.failure(reason, cause, advice ?? { codeAdvice: [settle] }, taskId);
  }

  /** Tries to record the task again until the signal aborts: see `tryLater`. Never rejects. */
  recordLater(clock: Pick<Clock, "sleep">, signal: AbortSignal): Promise<void> {
    return tryLater(
      clock,
      () => this.isRecorded,
      () => this.record(),
      signal,
    );
  }

  /** Records how the task ended, if the task is recorded: see `Slot.close`. */
  async close(status: FinalStatus): Promise<void> {
    if (this.#intent === null) await this.#slot.close(this.entry, status);
  }

  /**
   * The key holds neither the intent nor this entry. Resolves with whether the task is recorded now: if the intent was settled
   * while its POST was in flight, the response of the service replaces the settlement.
   */
  async #reconcile(): Promise<boolean> {
    const entry = this.entry;
    const found = await this.#slot.read();
    // This process was suspended, or lost the database's response, after it had written: another one has recorded the end.
    const isOurs = found?.state === "submitted" && found.task_id === entry.task_id;
    if (isOurs && (!found.settled || found.status !== undefined)) return true;
    const isReplaceable =
      found === null || isFreed(found) || (found.settled === true && found.request_id === entry.request_id);
    return isReplaceable && this.#slot.put(entry, found?.revision ?? null);
  }
}

export function causeOf(error: unknown): unknown {
  return isError(error) ? error.cause : error;
}
