import { reservingBudget } from "../budget/budget.js";
import { isFinalStatus, LIMITS } from "../contract/service.js";
import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import type { Redactor } from "../errors/redactor.js";
import { TaskFailedError, TaskTimedOutError } from "../errors/task-errors.js";
import type { Context } from "../http/context.js";
import type { Result } from "../http/outcome.js";
import type { RequestOptions } from "../http/request-options.js";
import { traceEach } from "../http/tracing.js";
import type { BudgetReservation } from "../journal/journal.js";
import { parseDate } from "../time/date.js";
import { createdAtByClient } from "./created-at.js";
import { Estimates } from "./estimate.js";
import { watches } from "./keep-alive.js";
import type { CheckedWait } from "./options.js";
import { TaskPoller, type WaitedFor, waitFailure } from "./poll.js";
import type { SharedPolls } from "./queued-poll.js";
import { retrieveTask } from "./read-task.js";
import { stoppable } from "./stoppable.js";
import type { Submissions } from "./submissions.js";
import { taskIdOf } from "./task-id.js";
import type { TenantOptions } from "./tenant.js";
import type { UnsentReads } from "./unsent-reads.js";

/** What a journal states about a task besides the submission. */
export interface Journaled {
  key: string;
  /** The `task_type` of the request. */
  type: string;
  /** When the intent of its request was written, as an ISO 8601 date-time. */
  at: string;
  /** Whether another process may have polled the task just before. */
  isResumed: boolean;
  /** What the task has reserved in the budget of the wait. */
  reservation?: BudgetReservation | undefined;
  /** Awaited with the task as it was first read, before `onUpdate`. */
  onFirstRead?: ((task: Task) => Promise<void>) | undefined;
}

/** How far this client's clock is assumed to be ahead of another one, in milliseconds, unless a response has shown it. */
const ASSUMED_SKEW_MS = 60_000;

export class Waits {
  readonly #context: Context;
  readonly #polls: SharedPolls = { inFlight: new Map(), queued: new Map() };
  readonly #reads: UnsentReads = new Map();
  readonly #submissions: Submissions;
  readonly estimates: Estimates;

  constructor(context: Context, submissions: Submissions) {
    this.#context = context;
    this.#submissions = submissions;
    this.estimates = new Estimates(context, submissions);
  }

  /** Reads a task once. `type`: what was ordered, if it is known. */
  async read(
    taskId: string,
    type: string | undefined,
    options: RequestOptions & TenantOptions,
  ): Promise<Result<Task>> {
    const reading = await retrieveTask(this.#context, this.#reads, taskId, type, options);
    this.estimates.noteRead(reading.data);
    return reading;
  }

  /** Resolves with the task once it has succeeded. `journaled` is present if the task is of a run with a journal. */
  wait(task: string | TaskSubmission, checked: CheckedWait, journaled?: Journaled): Promise<SucceededTask> {
    const poller = this.#poller(task, checked, journaled);
    const attributes = { "async_music.task_id": poller.settings.taskId };
    return this.#context.trace("wait for a task", attributes, () =>
      untilSuccess(poller, journaled?.onFirstRead, onEndOf(checked, journaled)),
    );
  }

  /** Yields every change of a task, last its final state. */
  watch(task: string | TaskSubmission, checked: CheckedWait): AsyncIterable<Task> {
    const taskId = taskIdOf(task, this.#context.redactor);
    const attributes = { "async_music.task_id": taskId };
    const onPoll = new Set<() => void>();
    const tasks = stoppable((signal) => {
      const options = { ...checked.options, signal };
      const poll = () => changes(this.#poller(task, { ...checked, options }), onPoll, onEndOf(checked));
      return traceEach(this.#context.trace, "watch a task", attributes, poll);
    }, checked.options.signal);
    watches.set(tasks, {
      clock: this.#context.clock,
      signal: checked.options.signal,
      onPoll,
      estimate: (each) => this.estimates.estimate(each),
    });
    return tasks;
  }

  #poller(task: string | TaskSubmission, checked: CheckedWait, journaled?: Journaled): TaskPoller {
    const taskId = taskIdOf(task, this.#context.redactor);
    const submission = typeof task === "string" ? undefined : task;
    const known = (submission && this.#submissions.find(submission)) ?? null;
    const at = known?.submittedAt ?? this.#createdAt(submission, journaled);
    const submittedAt = at === null ? null : Math.min(at, this.#context.clock.now());
    // The process that ended, or that still waits, may have read the task at this moment (Limits: Polling).
    const notBefore = journaled?.isResumed ? this.#context.clock.now() + LIMITS.shortestPollIntervalMs : 0;
    const { gaps, maxWaitMs, options } = checked;
    const { signal, timeoutMs, headers, requestId, onUpdate, tenant } = options;
    const poller = new TaskPoller(this.#context, this.#polls, {
      taskId,
      type: journaled?.type ?? submission?.type,
      journalKey: journaled?.key,
      gaps,
      maxWaitMs,
      submittedAt,
      notBefore,
      known,
      onUpdate,
      tenant,
      estimates: this.estimates,
      // Not all options: tens of thousands of waits would keep an object with all names.
      options: { signal, timeoutMs, headers, requestId },
    });
    if (submission !== undefined) this.estimates.note(submission, poller);
    return poller;
  }

  /** When a task was created that this client did not submit, no earlier than it was; `null` if only its ID is known. */
  #createdAt(submission: TaskSubmission | undefined, journaled: Journaled | undefined): number | null {
    if (submission !== undefined)
      return createdAtByClient(this.#context, submission.created_at, -ASSUMED_SKEW_MS);
    const intentAt = parseDate(journaled?.at ?? null);
    return intentAt === null ? null : intentAt + ASSUMED_SKEW_MS;
  }
}

/** Settles or frees what a task has reserved. */
type OnEnd = (task: Task) => Promise<unknown>;

/** `undefined` without a budget, or if the task has reserved nothing in it. */
function onEndOf({ options }: CheckedWait, journaled?: Journaled): OnEnd | undefined {
  const budget = reservingBudget(options);
  const reservation = journaled === undefined ? null : journaled.reservation;
  if (budget === null || reservation === undefined) return undefined;
  return (task) => budget.ended(task, reservation, options.tenant);
}

/**
 * Waits in this one async function: there may be tens of thousands of waits, and each function takes memory. A custom pacer or clock
 * may throw anything: the ID of the task must not be lost.
 */
async function untilSuccess(
  poller: TaskPoller,
  onFirstRead: Journaled["onFirstRead"],
  onEnd: OnEnd | undefined,
): Promise<SucceededTask> {
  let isFirst = true;
  try {
    for (;;) {
      const reading = await poller.next();
      if (reading === null) continue;
      const { data } = reading;
      const { status } = data;
      if (isFinalStatus(status)) await onEnd?.(data);
      if (isFirst) await onFirstRead?.(data);
      isFirst = false;
      poller.check(reading);
      await update(poller);
      const failure = failureOf(data, poller.context.redactor);
      if (failure !== null) throw failure;
      if (status === "success") return data;
    }
  } catch (error) {
    throw poller.endOfWait(error);
  }
}

/** The error for a task that ended without success. */
function failureOf(task: Task, redactor: Redactor): TaskFailedError | TaskTimedOutError | null {
  if (task.status === "failure") return new TaskFailedError(redactor.data(task));
  return task.status === "timeout" ? new TaskTimedOutError(redactor.data(task)) : null;
}

async function* changes(
  poller: TaskPoller,
  onPoll: ReadonlySet<() => void>,
  onEnd: OnEnd | undefined,
): AsyncGenerator<Task, void, void> {
  try {
    for (;;) {
      const reading = await poller.next();
      if (reading === null) {
        for (const listener of onPoll) listener();
        continue;
      }
      const { data } = reading;
      const { status } = data;
      if (isFinalStatus(status)) await onEnd?.(data);
      poller.check(reading);
      await update(poller);
      yield data;
      if (isFinalStatus(status)) return;
    }
  } catch (error) {
    throw poller.endOfWait(error);
  }
}

/** Calls `onUpdate` with its own copy of the task, which it may change. */
async function update(poller: TaskPoller): Promise<void> {
  const { settings, context } = poller;
  if (settings.onUpdate !== undefined)
    await callBack("onUpdate", settings.onUpdate, poller.copy(), settings, context.redactor);
}

/** Calls a callback of the application. If it throws, the wait ends with an error that carries the task's ID. */
export async function callBack<Value>(
  name: string,
  callback: ((value: Value) => unknown) | undefined,
  value: Value,
  waitedFor: WaitedFor,
  redactor: Redactor,
): Promise<void> {
  try {
    await callback?.(value);
  } catch (error) {
    throw waitFailure(waitedFor, `\`${name}\` threw`, error, redactor);
  }
}
