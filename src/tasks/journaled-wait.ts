import { reservingBudget } from "../budget/budget.js";
import { type FinalStatus, isFinalStatus, type TaskType } from "../contract/service.js";
import type { SucceededTask, Task } from "../contract/task.js";
import { AsyncMusicError } from "../errors/base.js";
import { type JournalError, TaskFailedError } from "../errors/task-errors.js";
import type { JournaledTask } from "../journal/journaled-task.js";
import type { CheckedWait, RunOptions } from "./options.js";
import type { JournaledOrder } from "./run-context.js";
import { submissionOf } from "./submission-of.js";
import { callBack } from "./wait.js";

/** The wait of a run for the task of its journal key. */
export class JournaledWait {
  readonly #order: JournaledOrder;
  readonly #created: JournaledTask;
  readonly #type: TaskType;
  readonly #checked: CheckedWait<RunOptions>;

  /** @param type - the requested type */
  constructor(
    order: JournaledOrder,
    created: JournaledTask,
    type: TaskType,
    checked: CheckedWait<RunOptions>,
  ) {
    this.#order = order;
    this.#created = created;
    this.#type = type;
    this.#checked = checked;
  }

  /** Waits for the task, and records how it ended. */
  async untilClosed(endSubmission: () => void): Promise<SucceededTask> {
    const ended = await this.#reportAndWait(endSubmission).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.#recordAgain(ended);
    if ("value" in ended) {
      await this.#close("success");
      return ended.value;
    }
    const { error } = ended;
    if (error instanceof TaskFailedError && isFinalStatus(error.task.status))
      await this.#close(error.task.status);
    throw error;
  }

  /** Closes the key, unless its task has a reservation that could not be settled or freed: a later run tries that again. */
  async #close(status: FinalStatus): Promise<void> {
    const { reservation } = this.#created.entry;
    const budget = reservingBudget(this.#checked.options);
    if (budget === null || reservation === undefined || (await budget.hasEnded(reservation)))
      await this.#created.close(status);
  }

  /** A submission stays open until the journal has its task: if that failed, it is tried again while the task is awaited. */
  async #reportAndWait(endSubmission: () => void): Promise<SucceededTask> {
    const created = this.#created;
    const { key, task, isResumed } = created;
    const { at, reservation } = created.entry;
    const { waits, context } = this.#order.shared;
    const known = { key, type: this.#type, at, isResumed, reservation };
    if (typeof task !== "string") await this.#order.report(task);
    const ending = new AbortController();
    void created.recordLater(context.clock, ending.signal).then(() => created.isRecorded && endSubmission());
    try {
      if (typeof task !== "string") return await waits.wait(task, this.#checked, known);
      const onFirstRead = (read: Task) => this.#order.report(submissionOf(read, at, this.#type));
      return await waits.wait(task, this.#checked, { ...known, onFirstRead });
    } finally {
      ending.abort();
    }
  }

  /**
   * Tries again to record a task that could not be recorded at once. If that fails and the error of the run does not name the
   * task, throws the error of the journal, which does.
   */
  async #recordAgain(ended: { value: unknown } | { error: unknown }): Promise<void> {
    const failure: JournalError | null = await this.#created.record();
    if (failure === null) return;
    this.#order.shared.context.logError(failure.message);
    const { onUnrecorded } = this.#checked.options;
    // Before the callback, which may change the error. The reason of an abort may name another task.
    const namesTask =
      "error" in ended && ended.error instanceof AsyncMusicError && ended.error.taskId === failure.taskId;
    await callBack(
      "onUnrecorded",
      onUnrecorded,
      failure,
      { taskId: failure.taskId ?? "", journalKey: this.#created.key },
      this.#order.shared.context.redactor,
    );
    if ("error" in ended && !namesTask) throw failure;
  }
}
