import { type BudgetHold, reservingBudget } from "../budget/budget.js";
import { canonicalJson } from "../contract/canonical-json.js";
import type { SucceededTask, TaskSubmission } from "../contract/task.js";
import { isError } from "../contract/thrown.js";
import { AsyncMusicError } from "../errors/base.js";
import type { JournalError } from "../errors/task-errors.js";
import { AlreadyTaken } from "../journal/already-taken.js";
import { outcomeUnknown, sampleUsage } from "../journal/evidence.js";
import { type FreeKey, freeKeyOf, IntentClaim } from "../journal/intent-claim.js";
import type { JournalEntry, JournalIntent } from "../journal/journal.js";
import { causeOf, JournaledTask } from "../journal/journaled-task.js";
import { waitForKey } from "../journal/key-queue.js";
import { type CreatedTask, notesOf } from "../journal/process-notes.js";
import { Slot } from "../journal/slot.js";
import { JournaledWait } from "./journaled-wait.js";
import type { CheckedWait, RunOptions } from "./options.js";
import type { JournaledOrder, Journaling, OrderSubmission } from "./run-context.js";
import type { SentRequest } from "./sent-request.js";
import { submissionOf } from "./submission-of.js";

/** How often, and how far apart, a run checks whether the owner of an intent has recorded its task: 2 s in all. */
const MOST_CHECKS = 8;
const CHECK_INTERVAL_MS = 250;

const STALE_READ = {
  facts: ["No task was created by this run."],
  advice: [
    "Check that the journal does not read from a stale replica, then try again with the same journal key.",
  ],
};

/** The submission of one request with a journal: the task is created at most once. */
export class JournaledSubmission implements OrderSubmission {
  readonly #order: JournaledOrder;
  readonly #journaling: Journaling;

  constructor(order: JournaledOrder, journaling: Journaling) {
    this.#order = order;
    this.#journaling = journaling;
  }

  /** The recorded task of the journal key, or one that is submitted now. Of all calls with one key, at most one sends a POST. */
  async findOrSubmit(request: SentRequest): Promise<JournaledTask> {
    const { journal, key } = this.#journaling;
    const { clock, redactor } = this.#order.shared.context;
    const release = await waitForKey(journal, key, this.#order.options.signal);
    try {
      const held = notesOf(journal).takesRealTime ? clock : undefined;
      return await this.#findOrSubmitIn(new Slot(journal, key, redactor, held), request);
    } finally {
      release();
    }
  }

  /** Waits for the task of the key, and records how it ended. `endSubmission` is called when the journal has the task. */
  async run(
    request: SentRequest,
    checked: CheckedWait<RunOptions>,
    endSubmission: () => void,
  ): Promise<SucceededTask> {
    const created = await this.findOrSubmit(request);
    return new JournaledWait(this.#order, created, request.value.task_type, checked).untilClosed(
      endSubmission,
    );
  }

  /** Submits, and resolves with the submission once the journal has its task. The key stays open. */
  async create(request: SentRequest): Promise<TaskSubmission> {
    const created = await this.findOrSubmit(request);
    const { task, entry } = created;
    const submission = typeof task === "string" ? await this.#read(task, entry.at, request) : task;
    await this.#order.report(submission);
    const failure = await created.record();
    if (failure !== null) throw this.#logged(failure);
    return submission;
  }

  async #read(taskId: string, at: string, { value }: SentRequest): Promise<TaskSubmission> {
    const { timeoutMs, maxRetries, headers, signal, tenant } = this.#order.options;
    const options = { timeoutMs, maxRetries, headers, signal, tenant };
    const { data } = await this.#order.shared.waits.read(taskId, value.task_type, options);
    return submissionOf(data, at, value.task_type);
  }

  /** The recorded task of the key, or one that is submitted now. */
  async #findOrSubmitIn(slot: Slot, request: SentRequest): Promise<JournaledTask> {
    const { clock, redactor } = this.#order.shared.context;
    const requested = canonicalJson(redactor.data(request.value));
    let lastRevision: string | null = null;
    for (let checks = 0; ; checks++) {
      const entry = await slot.read();
      const free = freeKeyOf(slot, entry);
      if (free !== null && free.freed !== null) await slot.refuseSecret(free.freed);
      if (free === null && entry !== null && canonicalJson(entry.request) !== requested)
        throw slot.conflict(entry);
      const unrecorded = slot.notes.unrecorded.get(entry?.revision ?? "");
      if (entry !== null) await this.#takeOver(slot, entry, free !== null, unrecorded?.taskId ?? null);
      if (entry?.state === "submitted") return JournaledTask.found(slot, entry);
      if (entry !== null && unrecorded !== undefined) return this.#created(slot, entry, unrecorded);

      const created = free === null ? null : await this.#submitUnderIntent(slot, free, request);
      if (created !== null) return created;

      // A read from a database replica may show a taken key as free: check again in that case as well.
      const revision = entry?.revision ?? null;
      if (revision !== lastRevision) checks = 0;
      if (checks >= MOST_CHECKS) {
        if (free !== null || entry === null)
          throw slot.failure("`put` returned false, but `get` shows a free key", undefined, STALE_READ);
        throw await outcomeUnknown(slot, entry, this.#evidence(), null);
      }
      lastRevision = revision;
      await clock.sleep(CHECK_INTERVAL_MS, this.#order.options.signal);
    }
  }

  /**
   * Continues with the reservation of the key while it is open, or frees it if this run takes the key anew. `unrecorded`: the task of
   * an intent that this process could not replace by a record.
   */
  async #takeOver(
    slot: Slot,
    entry: JournalEntry,
    isFree: boolean,
    unrecorded: string | null,
  ): Promise<void> {
    const budget = reservingBudget(this.#order.options);
    const { reservation } = entry;
    if (budget === null || reservation === undefined) return;
    if (isFree) return budget.free(reservation);
    const journaling = this.#journaling;
    if (entry.state === "submitted") {
      if (entry.status === undefined) await budget.resume(reservation, journaling, entry.task_id);
      return;
    }
    await budget.resume(reservation, journaling, unrecorded);
    // Its run may have been refused meanwhile: that frees the reservation before and after the key.
    if ((await slot.read())?.reservation?.id !== reservation.id) await budget.free(reservation);
  }

  /** Sends the POST under an intent, and records its task. `null`: another run took the key first. */
  async #submitUnderIntent(slot: Slot, free: FreeKey, request: SentRequest): Promise<JournaledTask | null> {
    const { clock, redactor } = this.#order.shared.context;
    const evidence = this.#evidence();
    const { probe, timeoutMs } = evidence;
    const { tenant } = this.#order.options;
    const hold = await this.#order.shared.submissions.hold(request, this.#order.options, this.#journaling);
    if (probe !== null && hold !== undefined && !(await this.#fits(hold, slot, free, request))) return null;
    const sample = probe === null ? null : await sampleUsage(probe);
    const fields = {
      request: redactor.data(request.value),
      request_id: redactor.text(this.#order.requestId),
      tasks_created: sample?.tasksCreated ?? null,
      timeout_ms: timeoutMs,
      ...(tenant !== undefined && { tenant }),
    };
    const claim = new IntentClaim(slot, free, fields, clock, hold);
    const sent = await this.#order.send(request, claim).then(
      (submission) => ({ submission, taskId: submission.task_id, error: null }),
      (error: unknown) => ({ submission: null, taskId: createdTaskOf(error), error }),
    );
    const { submission, taskId, error } = sent;
    const { intent, failure } = claim;
    if (intent === null) {
      if (error instanceof AlreadyTaken) return null;
      void claim.restoreLater();
      throw failure === null ? error : this.#logged(keyNotRestored(slot, error, failure.thrown));
    }
    if (taskId === null) throw await outcomeUnknown(slot, intent, evidence, { error, sample });
    const created = this.#created(slot, intent, { taskId, submission });
    const unrecorded = await created.record();
    await hold?.created(taskId);
    if (submission !== null) return created;
    const still = unrecorded && (await created.record());
    throw still === null ? error : this.#logged(still);
  }

  #created(slot: Slot, intent: JournalIntent, task: CreatedTask): JournaledTask {
    const created = JournaledTask.created(slot, intent, task);
    const order = this.#order;
    order.unrecorded = () =>
      created.isRecorded
        ? null
        : this.#logged(created.failure(" before the abort", order.options.signal?.reason));
    return created;
  }

  /**
   * Refuses an order before the usage is read for it: a customer whose budget is exhausted must not use the rate limit. Resolves with
   * `false` if the price does not fit, since another run has reserved it under this key.
   */
  async #fits(hold: BudgetHold, slot: Slot, free: FreeKey, request: SentRequest): Promise<boolean> {
    try {
      await hold.check();
      return true;
    } catch (error) {
      if (((await slot.read())?.revision ?? null) !== free.revision) return false;
      const ended = { outcome: "not_created", submission: null, error } as const;
      this.#order.shared.submissions.emit(request, this.#order.options, ended);
      throw error;
    }
  }

  /** A person may have to resolve the error, and after an abort, no caller receives it. */
  #logged(failure: JournalError): JournalError {
    this.#order.shared.context.logError(failure.message);
    return failure;
  }

  /** How this run finds evidence of what an unknown outcome was, and the longest time of its POST. */
  #evidence() {
    const { context, account, submissions, unresolved } = this.#order.shared;
    const { timeoutMs, maxRetries, headers, signal, tenant } = this.#order.options;
    const options = { timeoutMs, maxRetries, headers, signal };
    const readTasksCreated = async () => (await account.usage(options, tenant)).tasks_created;
    const count = () => submissions.count;
    const probe = this.#journaling.probe ? { count, unresolved, readTasksCreated } : null;
    return { probe, clock: context.clock, timeoutMs: timeoutMs ?? context.timeoutMs };
  }
}

function createdTaskOf(error: unknown): string | null {
  // An error of another version of this package may have no `taskId`.
  return error instanceof AsyncMusicError ? (error.taskId ?? null) : null;
}

/** The error for an intent that could not be removed after a refusal. */
function keyNotRestored(slot: Slot, refusal: unknown, thrown: unknown): JournalError {
  const why = isError(refusal) ? ` (${refusal.name}: ${refusal.message})` : "";
  const reason = `no task was created${why}, but the intent could not be removed`;
  return slot.failure(reason, causeOf(thrown), {
    facts: ["The SDK tries that again for 31 s, and a run of this process can use the journal key at once."],
    advice: [
      `For runs of other processes, free the journal key with settleOutcome(journal, ${slot.name}, null).`,
    ],
  });
}
