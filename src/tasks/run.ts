import type { TaskRequest } from "../contract/requests.js";
import type { Usage } from "../contract/responses.js";
import { isFinalStatus, isTaskType, type TaskType } from "../contract/service.js";
import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import { canonicalJson } from "../contract/text.js";
import { AsyncMusicError } from "../errors/base.js";
import { type JournalError, TaskFailedError } from "../errors/task-errors.js";
import type { Claim, Context, InFlight } from "../http/context.js";
import { createRequestId } from "../http/ids.js";
import type { RequestOptions } from "../http/request-options.js";
import { outcomeUnknown, type Probe, sampleUsage } from "../journal/evidence.js";
import { AlreadyTaken, type FreeKey, freeKeyOf, IntentClaim } from "../journal/intent-claim.js";
import type { Journal } from "../journal/journal.js";
import { causeOf, JournaledTask } from "../journal/journaled-task.js";
import { waitForKey } from "../journal/key-queue.js";
import { checkJournalOptions } from "../journal/options.js";
import { Slot } from "../journal/slot.js";
import { onAbort } from "../time/abort.js";
import { abortedInFlight, type SubmissionHooks } from "./create-task.js";
import { type CheckedWait, checkWaitOptions, type RunOptions } from "./options.js";
import { attributesOf, checkRequest, type SentRequest } from "./sent-request.js";
import type { Submissions } from "./submissions.js";
import { callBack, type Waits } from "./wait.js";

/** How often, and how far apart, a run checks whether the owner of an intent has recorded its task: 2 s in all. */
const MOST_CHECKS = 8;
const CHECK_INTERVAL_MS = 250;

const STALE_READ = {
  facts: ["No task was created by this run."],
  advice: ["Check that the journal does not read from a stale replica, then try again with the same key."],
};

export interface AccountUsage {
  usage(options: RequestOptions): Promise<Usage>;
}

/** What all runs of one client share. */
export interface RunContext {
  readonly context: Context;
  readonly account: AccountUsage;
  readonly submissions: Submissions;
  readonly waits: Waits;
  readonly unresolved: Probe["unresolved"];
}

/** What a batch does around each attempt of a run: see `Call`. */
export type RunHooks = Pick<SubmissionHooks, "beforeSending" | "onDelayed">;

/** One run: a request, from its submission to the result of its task. */
export class Run {
  readonly #shared: RunContext;
  readonly #request: TaskRequest;
  readonly #checked: CheckedWait<RunOptions>;
  readonly #journaling: { journal: Journal; key: string; probe: boolean } | null;
  /** The id of the POST: each poll has its own. */
  readonly #requestId: string;
  readonly #hooks: RunHooks & { readonly inFlight: InFlight };

  /** Checks all options before anything is charged. @throws InvalidOptionError */
  constructor(shared: RunContext, request: TaskRequest, given: RunOptions, hooks: RunHooks = {}) {
    const { context } = shared;
    const checked = checkWaitOptions(given, context);
    this.#shared = shared;
    this.#request = request;
    this.#journaling = checkJournalOptions(checked.options, context.redactor);
    const { requestId = createRequestId(context.random), ...options } = checked.options;
    this.#requestId = requestId;
    this.#checked = { ...checked, options };
    this.#hooks = { ...hooks, inFlight: { call: null } };
  }

  /** Completes the run. Rejects at once if the caller aborts while the POST is in flight: the run still completes. */
  untilAbort(): Promise<SucceededTask> {
    const ended = this.complete();
    const { signal, journalKey } = this.#checked.options;
    return new Promise((resolve, reject) => {
      const abort = onAbort(signal, () => {
        const { call } = this.#hooks.inFlight;
        if (call === null) return;
        const known = { requestId: this.#requestId, journalKey, cause: signal?.reason };
        reject(abortedInFlight(call, known, this.#shared.context.redactor));
      });
      void ended.then(resolve, reject).finally(() => abort.remove());
    });
  }

  /** Completes the run. A POST in flight at an abort is completed, so that its task is recorded and reported. */
  complete(): Promise<SucceededTask> {
    const { context } = this.#shared;
    return context.trace("run a task", attributesOf(this.#request), async () => {
      const request = checkRequest(this.#request, context);
      return this.#journaling === null
        ? this.#submitAndWait(request)
        : this.#runJournaled(request, this.#journaling);
    });
  }

  async #submitAndWait(request: SentRequest): Promise<SucceededTask> {
    const submission = await this.#submit(request);
    await this.#report(submission);
    return this.#shared.waits.wait(submission, this.#checked);
  }

  /** The steps of a run with a journal. Of all runs with one key, at most one sends a POST. */
  async #runJournaled(
    request: SentRequest,
    { journal, key }: { journal: Journal; key: string },
  ): Promise<SucceededTask> {
    const release = await waitForKey(journal, key, this.#checked.options.signal);
    let created: JournaledTask;
    try {
      created = await this.#findOrSubmit(new Slot(journal, key, this.#shared.context.redactor), request);
    } finally {
      release();
    }
    const ended = await this.#reportAndWait(created).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.#recordAgain(created, ended);
    if ("value" in ended) {
      await created.close("success");
      return ended.value;
    }
    const { error } = ended;
    if (error instanceof TaskFailedError && isFinalStatus(error.task.status))
      await created.close(error.task.status);
    throw error;
  }

  /** The recorded task of the key, or one that is submitted now. */
  async #findOrSubmit(slot: Slot, request: SentRequest): Promise<JournaledTask> {
    const { clock, redactor } = this.#shared.context;
    const requested = canonicalJson(redactor.data(request.value));
    let lastRevision: string | null = null;
    for (let checks = 0; ; checks++) {
      const entry = await slot.read();
      const free = freeKeyOf(slot, entry);
      if (free !== null && free.freed !== null) await slot.refuseSecret(free.freed);
      if (free === null && entry !== null && canonicalJson(entry.request) !== requested)
        throw slot.conflict(entry);
      if (entry?.state === "submitted") return JournaledTask.found(slot, entry);

      const created = free === null ? null : await this.#submitUnderIntent(slot, free, request);
      if (created !== null) return created;

      // A read from a database replica may show a taken key as free: check again in that case as well.
      const revision = entry?.revision ?? null;
      if (revision !== lastRevision) checks = 0;
      if (checks >= MOST_CHECKS) {
        if (free !== null || entry === null)
          throw slot.failure("`put` returned false, but `get` returned null", undefined, STALE_READ);
        throw await outcomeUnknown(slot, entry, this.#evidence(), null);
      }
      lastRevision = revision;
      await clock.sleep(CHECK_INTERVAL_MS, this.#checked.options.signal);
    }
  }

  /** Sends the POST under an intent, and records its task. `null`: another run took the key first. */
  async #submitUnderIntent(slot: Slot, free: FreeKey, request: SentRequest): Promise<JournaledTask | null> {
    const { clock, redactor } = this.#shared.context;
    const evidence = this.#evidence();
    const { probe, timeoutMs } = evidence;
    const sample = probe === null ? null : await sampleUsage(probe);
    const fields = {
      request: redactor.data(request.value),
      request_id: redactor.text(this.#requestId),
      tasks_created: sample?.tasksCreated ?? null,
      timeout_ms: timeoutMs,
    };
    const claim = new IntentClaim(slot, free, fields, clock);
    const sent = await this.#submit(request, claim).then(
      (submission) => ({ submission, taskId: submission.task_id, error: null }),
      (error: unknown) => ({ submission: null, taskId: createdTaskOf(error), error }),
    );
    const { submission, taskId, error } = sent;
    const { intent, failure } = claim;
    if (intent === null) {
      if (error instanceof AlreadyTaken) return null;
      void claim.restoreLater();
      throw failure === null ? error : keyNotRestored(slot, error, failure.thrown);
    }
    if (taskId === null) throw await outcomeUnknown(slot, intent, evidence, { error, sample });
    const created = JournaledTask.created(slot, intent, taskId, submission);
    await created.record();
    if (submission === null) throw error;
    return created;
  }

  async #submit(request: SentRequest, claim?: Claim): Promise<TaskSubmission> {
    const options = { ...this.#checked.options, requestId: this.#requestId };
    const hooks = { ...this.#hooks, claim };
    return (await this.#shared.submissions.submit(request, options, hooks)).data;
  }

  async #reportAndWait({ key, task, at, isResumed }: JournaledTask): Promise<SucceededTask> {
    const { waits } = this.#shared;
    if (typeof task === "string") {
      const onFirstRead = (read: Task) => this.#report(submissionOf(read, at, this.#request.task_type));
      return waits.wait(task, this.#checked, { key, at, isResumed, onFirstRead });
    }
    await this.#report(task);
    return waits.wait(task, this.#checked, { key, at, isResumed });
  }

  #report(submission: TaskSubmission): Promise<void> {
    const { onSubmitted } = this.#checked.options;
    return callBack(
      "onSubmitted",
      onSubmitted,
      submission,
      submission.task_id,
      this.#shared.context.redactor,
    );
  }

  /**
   * Tries again to record a task that could not be recorded at once. If that fails and the error of the run does not name the
   * task, throws the error of the journal, which does.
   */
  async #recordAgain(created: JournaledTask, ended: { value: unknown } | { error: unknown }): Promise<void> {
    const failure: JournalError | null = await created.record();
    if (failure === null) return;
    const { onUnrecorded } = this.#checked.options;
    await callBack(
      "onUnrecorded",
      onUnrecorded,
      failure,
      failure.taskId ?? "",
      this.#shared.context.redactor,
    );
    if ("value" in ended) return;
    // The reason of an abort may name another task.
    const namesTask = ended.error instanceof AsyncMusicError && ended.error.taskId === failure.taskId;
    if (!namesTask) throw failure;
  }

  /** How this run finds evidence of what an unknown outcome was, and the longest time of its POST. */
  #evidence() {
    const { context, account, submissions, unresolved } = this.#shared;
    const { timeoutMs, maxRetries, headers, signal } = this.#checked.options;
    const options = { timeoutMs, maxRetries, headers, signal };
    const readTasksCreated = async () => (await account.usage(options)).tasks_created;
    const probe = this.#journaling?.probe ? { count: submissions.count, unresolved, readTasksCreated } : null;
    return { probe, clock: context.clock, timeoutMs: timeoutMs ?? context.timeoutMs };
  }
}

function createdTaskOf(error: unknown): string | null {
  // An error of another version of this package may have no `taskId`.
  return error instanceof AsyncMusicError ? (error.taskId ?? null) : null;
}

/** The error for an intent that could not be removed after a refusal. */
function keyNotRestored(slot: Slot, refusal: unknown, thrown: unknown): JournalError {
  const why = refusal instanceof Error ? ` (${refusal.name}: ${refusal.message})` : "";
  const reason = `no task was created${why}, but the intent could not be removed`;
  return slot.failure(reason, causeOf(thrown), {
    facts: ["The SDK tries that again for 31 s, and a run of this process can use the key at once."],
    advice: [`For runs of other processes, free the key with settleOutcome(journal, ${slot.name}, null).`],
  });
}

/** The submission of a task that the journal has by its ID only. `intentAt`: when the intent of its request was written. */
function submissionOf(task: Task, intentAt: string, requestedType: TaskType): TaskSubmission {
  const { task_id, type, credits_cost, created_at, audio_format } = task;
  return {
    task_id,
    // A type that this version does not list cannot be requested with it.
    type: isTaskType(type) ? type : requestedType,
    status: "pending",
    credits_charged: credits_cost,
    created_at: created_at ?? intentAt,
    audio_format,
  };
}
