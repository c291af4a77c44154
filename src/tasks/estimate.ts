import { isFinalStatus } from "../contract/service.js";
import type { Task, TaskSubmission } from "../contract/task.js";
import { shown, wrongValue } from "../errors/base.js";
import type { Context } from "../http/context.js";
import type { TaskEstimate, WaitingTask } from "../rate-limit/pacer.js";
import { createdAtByClient } from "./created-at.js";
import type { Submissions } from "./submissions.js";

/** What was last read of a task. A wait changes it with each poll. */
export interface LastReading {
  /** `null` before the first reading. */
  readonly known: WaitingTask | null;
  readonly hasEnded: boolean;
}

const ENDED: TaskEstimate = { medianSeconds: 0, p90Seconds: 0 };

/** The last readings of the tasks of one client, by the objects that the application has received or passed. */
export class Estimates {
  readonly #context: Context;
  readonly #submissions: Submissions;
  readonly #readings = new WeakMap<object, LastReading>();

  constructor(context: Context, submissions: Submissions) {
    this.#context = context;
    this.#submissions = submissions;
  }

  note(task: Task | TaskSubmission, reading: LastReading): void {
    this.#readings.set(task, reading);
  }

  /** Notes a task that was read just now, outside of a wait, unless it has ended: then its status tells that. */
  noteRead(task: Task): void {
    if (isFinalStatus(task.status)) return;
    const known = { ...this.#fromFields(task, task.model), unfinishedAt: this.#context.clock.now() };
    this.note(task, { known, hasEnded: false });
  }

  /** @throws InvalidOptionError */
  estimate(task: Task | TaskSubmission): TaskEstimate | null {
    const { task_id: taskId, type, model = "" } = Object(task);
    if (![taskId, type, model].every((field) => typeof field === "string"))
      throw wrongValue("task", "be a task, or the result of `create`", shown(task));
    const reading = this.#readings.get(task) ?? this.#readings.get(this.#submissions.originalOf(task));
    if (reading?.hasEnded || isFinalStatus(task.status)) return ENDED;
    const known = reading?.known ?? this.#known(task);
    return known === null ? null : (this.#context.pacer.estimate?.(known) ?? null);
  }

  /** What is known of a task that was not read by this client, or only before it was copied. */
  #known(task: Task | TaskSubmission): WaitingTask | null {
    if ("model" in task) return task.model === undefined ? null : this.#fromFields(task, task.model);
    return this.#submissions.find(task) ?? null;
  }

  #fromFields({ type, created_at }: Pick<Task, "type" | "created_at">, model: string): WaitingTask {
    const submittedAt = createdAtByClient(this.#context, created_at) ?? this.#context.clock.now();
    return { model, type, submittedAt, unfinishedAt: submittedAt };
  }
}
