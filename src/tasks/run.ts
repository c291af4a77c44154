import { reservingBudget } from "../budget/budget.js";
import type { TaskRequest } from "../contract/requests.js";
import { type FinalStatus, isFinalStatus } from "../contract/service.js";
import type { SucceededTask, Task } from "../contract/task.js";
import { AsyncMusicError } from "../errors/base.js";
import { type JournalError, TaskFailedError } from "../errors/task-errors.js";
import type { JournaledTask } from "../journal/journaled-task.js";
import { OneSubmission } from "./one-submission.js";
import { type CheckedWait, checkWaitOptions, type RunOptions } from "./options.js";
import type { RunContext, RunHooks } from "./run-context.js";
import { attributesOf, checkRequest, type SentRequest } from "./sent-request.js";
import { submissionOf } from "./submission-of.js";
import { callBack } from "./wait.js";

/** One run: a request, from its submission to the result of its task. */
export class Run {
  /** The request as it was when the run began. */
  readonly request: SentRequest;
  readonly #shared: RunContext;
  readonly #checked: CheckedWait<RunOptions>;
  readonly #submission: OneSubmission;

  /** Checks all options and the request before anything is charged. @throws InvalidOptionError, InvalidRequestError */
  constructor(shared: RunContext, request: TaskRequest, given: RunOptions, hooks: RunHooks = {}) {
    const checked = checkWaitOptions(given, shared.context);
    const { requestId, ...options } = checked.options;
    this.#shared = shared;
    this.#checked = { ...checked, options };
    this.#submission = new OneSubmission(shared, checked.options, hooks);
    this.request = checkRequest(request, shared.context);
  }

  /** Completes the run. Rejects at once if the caller aborts while the POST is in flight: the run still completes. */
  untilAbort(): Promise<SucceededTask> {
    return this.#submission.untilAbort(this.complete());
  }

  /** Completes the run. A POST in flight at an abort is completed, so that its task is recorded and reported. */
  complete(): Promise<SucceededTask> {
    const { context, submissions } = this.#shared;
    return context.trace("run a task", attributesOf(this.request.value), async () => {
      const endSubmission = submissions.begin();
      try {
        const created = await this.#submission.findOrSubmit(this.request);
        return await (created === null
          ? this.#submitAndWait(endSubmission)
          : this.#waitAndClose(created, endSubmission));
      } finally {
        endSubmission();
      }
    });
  }

  async #submitAndWait(endSubmission: () => void): Promise<SucceededTask> {
    const submission = await this.#submission.send(this.request);
    await this.#submission.report(submission);
    endSubmission();
    return this.#shared.waits.wait(submission, this.#checked);
  }

  /** Waits for the task of a run with a journal, and records how it ended. */
  async #waitAndClose(created: JournaledTask, endSubmission: () => void): Promise<SucceededTask> {
    const ended = await this.#reportAndWait(created, endSubmission).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.#recordAgain(created, ended);
    if ("value" in ended) {
      await this.#close(created, "success");
      return ended.value;
    }
    const { error } = ended;
    if (error instanceof TaskFailedError && isFinalStatus(error.task.status))
      await this.#close(created, error.task.status);
    throw error;
  }

  /** Closes the key, unless its task has a reservation that could not be settled or freed: a later run tries that again. */
  async #close(created: JournaledTask, status: FinalStatus): Promise<void> {
    const { reservation } = created;
    const budget = reservingBudget(this.#checked.options);
    if (budget === null || reservation === undefined || (await budget.hasEnded(reservation)))
      await created.close(status);
  }

  /** A submission stays open until the journal has its task: if that failed, it is tried again while the task is awaited. */
  async #reportAndWait(created: JournaledTask, endSubmission: () => void): Promise<SucceededTask> {
    const { key, task, at, isResumed, reservation } = created;
    const { waits, context } = this.#shared;
    const known = { key, at, isResumed, reservation };
    if (typeof task !== "string") await this.#submission.report(task);
    const ending = new AbortController();
    void created.recordLater(context.clock, ending.signal).then(() => created.isRecorded && endSubmission());
    try {
      if (typeof task !== "string") return await waits.wait(task, this.#checked, known);
      const onFirstRead = (read: Task) =>
        this.#submission.report(submissionOf(read, at, this.request.value.task_type));
      return await waits.wait(task, this.#checked, { ...known, onFirstRead });
    } finally {
      ending.abort();
    }
  }

  /**
   * Tries again to record a task that could not be recorded at once. If that fails and the error of the run does not name the
   * task, throws the error of the journal, which does.
   */
  async #recordAgain(created: JournaledTask, ended: { value: unknown } | { error: unknown }): Promise<void> {
    const failure: JournalError | null = await created.record();
    if (failure === null) return;
    this.#shared.context.logError(failure.message);
    const { onUnrecorded } = this.#checked.options;
    await callBack(
      "onUnrecorded",
      onUnrecorded,
      failure,
      { taskId: failure.taskId ?? "", journalKey: created.key },
      this.#shared.context.redactor,
    );
    if ("value" in ended) return;
    // The reason of an abort may name another task.
    const namesTask = ended.error instanceof AsyncMusicError && ended.error.taskId === failure.taskId;
    if (!namesTask) throw failure;
  }
}
