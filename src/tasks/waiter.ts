import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import { isFinalStatus } from "../contract/task.js";
import { TaskFailedError, TaskTimedOutError } from "../errors/task-errors.js";
import { traceEach } from "../http/tracer.js";
import type { Transport } from "../http/transport.js";
import type { WaitingTask } from "../rate-limit/pacer.js";
import { parseDate } from "../time/clock.js";
import { callBack } from "./callback.js";
import { checkTaskId, taskIdOf } from "./calls.js";
import { Observation, type Wait } from "./observation.js";
import { checkWaitOptions, type WaitOptions } from "./options.js";
import { type Reading, succeededTask } from "./retrieve.js";
import { SharedPolls } from "./shared-polls.js";
import { stoppable } from "./stoppable.js";
import type { Submitter } from "./submitter.js";

/** Everything by which one client waits for tasks: its waits on one task share their polls. */
export interface Waiter {
  /**
   * The task once it has succeeded; throws where it ended otherwise, and at once where it can't be waited for.
   * `journalKey` is where its id was found.
   */
  wait(task: string | TaskSubmission, options: WaitOptions, journalKey?: string): Promise<SucceededTask>;
  /** Every change of a task, last how it ended. */
  watch(task: string | TaskSubmission, options: WaitOptions): AsyncIterable<Task>;
}

export function createWaiter(transport: Transport, { submitted }: Pick<Submitter, "submitted">): Waiter {
  const polls = new SharedPolls();

  const checked = (task: string | TaskSubmission, given: WaitOptions, journalKey?: string): Wait => {
    const { gaps, maxWaitMs, options } = checkWaitOptions(given, transport);
    const taskId = taskIdOf(task);
    checkTaskId(taskId, transport.redactor);
    const known = knownOf(task);
    const submittedAt = Math.min(transport.clock.now(), known?.submittedAt ?? createdAt(task));
    return { taskId, journalKey, gaps, maxWaitMs, options, submittedAt, known };
  };

  /** A submission of this client tells the pacer what to expect. */
  const knownOf = (task: string | TaskSubmission): WaitingTask | null => {
    const ours = typeof task === "string" ? undefined : submitted(task);
    if (typeof task === "string" || ours === undefined) return null;
    return { model: ours.model, type: task.type, submittedAt: ours.at, unfinishedAt: ours.at };
  };

  /** Of any other only its own date may be known. */
  const createdAt = (task: string | TaskSubmission): number =>
    (typeof task === "string" ? null : parseDate(task.created_at)) ?? transport.clock.now();

  return {
    wait(task, options, journalKey) {
      const wait = checked(task, options, journalKey);
      const attributes = { "async_music.task_id": wait.taskId };
      return transport.trace("wait for a task", attributes, () =>
        ending(new Observation(transport, polls, wait), wait.options),
      );
    },

    watch(task, given) {
      const { taskId, options } = checked(task, given);
      const attributes = { "async_music.task_id": taskId };
      return stoppable((signal) => {
        const wait = checked(task, { ...options, signal });
        const values = changes(() => new Observation(transport, polls, wait), options);
        return traceEach(transport.trace, "watch a task", attributes, values);
      }, options.signal);
    },
  };
}

/** Sleeps in this one frame: there may be tens of thousands of it. */
async function ending(observation: Observation, { onUpdate }: WaitOptions): Promise<SucceededTask> {
  for (;;) {
    const reading = await observation.look(await observation.turn());
    if (reading === null) continue;
    await callBack("onUpdate", onUpdate, reading.data, observation.taskId, observation.transport.redactor);
    if (isFinalStatus(reading.data.status)) return settled(observation, reading);
  }
}

async function* changes(
  observe: () => Observation,
  { onUpdate }: WaitOptions,
): AsyncGenerator<Task, void, void> {
  const observation = observe();
  for (;;) {
    const reading = await observation.look(await observation.turn());
    if (reading === null) continue;
    await callBack("onUpdate", onUpdate, reading.data, observation.taskId, observation.transport.redactor);
    yield reading.data;
    if (isFinalStatus(reading.data.status)) return;
  }
}

/** What comes of a task that is over. */
function settled(observation: Observation, reading: Reading): SucceededTask {
  const { transport, call } = observation;
  const { data } = reading;
  if (data.status === "failure") throw new TaskFailedError(transport.redactor.data(data));
  if (data.status === "timeout") throw new TaskTimedOutError(transport.redactor.data(data));
  return succeededTask(transport, call, reading);
}
