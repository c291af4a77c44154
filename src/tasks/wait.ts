import { isFinalStatus } from "../contract/service.js";
import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import type { Redactor } from "../errors/redactor.js";
import { TaskFailedError, TaskTimedOutError } from "../errors/task-errors.js";
import type { Context } from "../http/context.js";
import { traceEach } from "../http/telemetry.js";
import { parseDate } from "../time/clock.js";
import { checkResult, taskIdOf } from "./calls.js";
import type { CheckedWait } from "./options.js";
import { type SharedPolls, TaskPoller, waitFailure } from "./poll.js";

/** The submissions of a client: the model, and when each arrived, in milliseconds since the epoch. */
export type Submissions = WeakMap<TaskSubmission, { model: string; at: number }>;

export class Waits {
  readonly #context: Context;
  readonly #polls: SharedPolls = { inFlight: new Map(), queued: new Map() };
  readonly #submissions: Submissions;

  constructor(context: Context, submissions: Submissions) {
    this.#context = context;
    this.#submissions = submissions;
  }

  /** Resolves with the task once it has succeeded. `journalKey` is the key under which a journal named the task. */
  wait(task: string | TaskSubmission, checked: CheckedWait, journalKey?: string): Promise<SucceededTask> {
    const poller = this.#poller(task, checked, journalKey);
    const attributes = { "async_music.task_id": poller.taskId };
    return this.#context.trace("wait for a task", attributes, () => untilSuccess(poller));
  }

  /** Yields every change of a task, last its final state. */
  watch(task: string | TaskSubmission, checked: CheckedWait): AsyncIterable<Task> {
    const { taskId } = this.#poller(task, checked);
    const attributes = { "async_music.task_id": taskId };
    return stoppable((signal) => {
      const options = { ...checked.options, signal };
      const poll = () => changes(this.#poller(task, { ...checked, options }));
      return traceEach(this.#context.trace, "watch a task", attributes, poll);
    }, checked.options.signal);
  }

  #poller(task: string | TaskSubmission, checked: CheckedWait, journalKey?: string): TaskPoller {
    const taskId = taskIdOf(task, this.#context.redactor);
    const now = this.#context.clock.now();
    const submission = typeof task === "string" ? undefined : task;
    const sent = submission && this.#submissions.get(submission);
    const known =
      submission && sent
        ? { model: sent.model, type: submission.type, submittedAt: sent.at, unfinishedAt: sent.at }
        : null;
    const submittedAt = Math.min(now, sent?.at ?? parseDate(submission?.created_at ?? null) ?? now);
    return new TaskPoller(this.#context, this.#polls, { ...checked, taskId, journalKey, submittedAt, known });
  }
}

/** Waits in this one async function: there may be tens of thousands of waits, and each function takes memory. */
async function untilSuccess(poller: TaskPoller): Promise<SucceededTask> {
  for (;;) {
    const reading = await poller.read(await poller.queuePoll());
    if (reading === null) continue;
    const { data } = reading;
    const { context } = poller;
    await callBack("onUpdate", poller.onUpdate, data, poller.taskId, context.redactor);
    if (data.status === "failure") throw new TaskFailedError(context.redactor.data(data));
    if (data.status === "timeout") throw new TaskTimedOutError(context.redactor.data(data));
    if (data.status !== "success") continue;
    checkResult(context, poller.call(), reading);
    return data;
  }
}

async function* changes(poller: TaskPoller): AsyncGenerator<Task, void, void> {
  for (;;) {
    const reading = await poller.read(await poller.queuePoll());
    if (reading === null) continue;
    await callBack("onUpdate", poller.onUpdate, reading.data, poller.taskId, poller.context.redactor);
    yield reading.data;
    if (isFinalStatus(reading.data.status)) return;
  }
}

/**
 * An iterable that can be left at any time: leaving it aborts the signal of its generator, even while the next value is
 * awaited. Each iteration starts a new generator.
 */
export function stoppable<Value>(
  generate: (signal: AbortSignal) => AsyncGenerator<Value, void, void>,
  callerSignal: AbortSignal | undefined,
): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController();
      const signals = callerSignal === undefined ? [] : [callerSignal];
      const values = generate(AbortSignal.any([controller.signal, ...signals]));
      const done = { done: true, value: undefined } as const;

      return {
        next: () =>
          values.next().catch((error: unknown) => {
            if (controller.signal.aborted) return done;
            throw error;
          }),
        async return() {
          controller.abort();
          await values.return().catch(() => {});
          return done;
        },
      };
    },
  };
}

/** Calls a callback of the application. If it throws, the wait ends with an error that carries the task's id. */
export async function callBack<Value>(
  name: string,
  callback: ((value: Value) => void | Promise<void>) | undefined,
  value: Value,
  taskId: string,
  redactor: Redactor,
): Promise<void> {
  try {
    await callback?.(value);
  } catch (error) {
    throw waitFailure(taskId, `\`${name}\` threw`, error, redactor);
  }
}
