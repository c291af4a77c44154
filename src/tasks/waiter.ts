import { parseDate } from "../clock/date.js";
import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import { TaskFailedError } from "../errors/task-failed-error.js";
import { TaskTimedOutError } from "../errors/task-timed-out-error.js";
import { traceEach } from "../telemetry/tracer.js";
import type { Transport } from "../transport/transport.js";
import { callBack } from "./callback.js";
import { retrieveCall, taskIdOf } from "./calls.js";
import { type Observation, observe } from "./observe.js";
import { checkWaitOptions, type WaitOptions } from "./options.js";
import { succeededTask } from "./retrieve.js";
import { createSharedPolls } from "./shared-polls.js";
import { stoppable } from "./stoppable.js";
import type { Submitter } from "./submitter.js";

/** Everything by which one client waits for tasks: its waits on one task share their polls. */
export interface Waiter {
  /** The task once it has succeeded; throws where it ended otherwise. `journalKey` is where its id was found. */
  wait(task: string | TaskSubmission, options: WaitOptions, journalKey?: string): Promise<SucceededTask>;
  /** Every change of a task, last how it ended. */
  watch(task: string | TaskSubmission, options: WaitOptions): AsyncIterable<Task>;
}

export function createWaiter(transport: Transport, { submitted }: Pick<Submitter, "submitted">): Waiter {
  const polls = createSharedPolls(transport);

  const observation = (
    task: string | TaskSubmission,
    options: WaitOptions,
    journalKey?: string,
  ): Observation => {
    const { schedule, maxWaitMs } = checkWaitOptions(options, transport);
    const taskId = taskIdOf(task);
    const call = retrieveCall(taskId, "poll", transport.redactor, journalKey);
    return { transport, polls, call, taskId, schedule, maxWaitMs, options, ...submissionOf(task) };
  };

  /** A submission of this client tells the pacer what to expect; of any other only its own date may be known. */
  const submissionOf = (task: string | TaskSubmission): Pick<Observation, "submittedAt" | "known"> => {
    const now = transport.clock.now();
    if (typeof task === "string") return { submittedAt: now, known: null };
    const ours = submitted(task);
    if (ours === undefined) {
      return { submittedAt: Math.min(now, parseDate(task.created_at) ?? now), known: null };
    }
    const { model, at } = ours;
    const known = { model, type: task.type, submittedAt: at, unfinishedAt: at };
    return { submittedAt: Math.min(now, at), known };
  };

  async function* changes(
    task: string | TaskSubmission,
    options: WaitOptions,
  ): AsyncGenerator<Task, void, void> {
    const observed = observation(task, options);
    for await (const { data } of observe(observed)) {
      await callBack("onUpdate", options.onUpdate, data, observed.taskId);
      yield data;
    }
  }

  return {
    async wait(task, options, journalKey) {
      const observed = observation(task, options, journalKey);
      const attributes = { "async_music.task_id": observed.taskId };
      return transport.trace("wait for a task", attributes, () => ending(observed, options));
    },

    watch(task, options) {
      const attributes = { "async_music.task_id": observation(task, options).taskId };
      return stoppable((signal) => {
        const values = changes(task, { ...options, signal });
        return traceEach(transport.trace, "watch a task", attributes, values);
      }, options.signal);
    },
  };
}

async function ending(observation: Observation, { onUpdate }: WaitOptions): Promise<SucceededTask> {
  const { transport, call, taskId } = observation;
  for await (const reading of observe(observation)) {
    await callBack("onUpdate", onUpdate, reading.data, taskId);
    const { status } = reading.data;
    if (status === "success") return succeededTask(transport, call, reading);
    if (status === "failure") throw new TaskFailedError(transport.redactor.data(reading.data));
    if (status === "timeout") throw new TaskTimedOutError(transport.redactor.data(reading.data));
  }
  throw new Error("Invariant: an observation ends with a final status.");
}
