import { parseDate } from "../clock/date.js";
import { isFinalStatus } from "../contract/status.js";
import type { Task } from "../contract/task.js";
import { ApiError } from "../errors/api-error.js";
import { AsyncMusicError } from "../errors/async-music-error.js";
import { AuthenticationError } from "../errors/authentication-error.js";
import { ConnectionError } from "../errors/connection-error.js";
import { InvalidResponseError } from "../errors/invalid-response-error.js";
import { RateLimitedError } from "../errors/rate-limited-error.js";
import { TaskNotFoundError } from "../errors/task-not-found-error.js";
import { WaitTimeoutError } from "../errors/wait-timeout-error.js";
import type { WaitingTask } from "../pacer/pacer.js";
import type { Call, RequestOptions } from "../transport/call.js";
import { statedWaitMs } from "../transport/stated-wait.js";
import type { Transport } from "../transport/transport.js";
import { resumeAdvice } from "./calls.js";
import type { PollSchedule } from "./poll-schedule.js";
import { pollTask, type Reading } from "./retrieve.js";
import { GRACE_MS, PollAbandoned, type PollWish, type SharedPolls } from "./shared-polls.js";

/** A wait, with its options checked. */
export interface Observation {
  transport: Transport;
  polls: SharedPolls;
  call: Call;
  taskId: string;
  schedule: PollSchedule;
  /** When the task was submitted, as far as is known, in milliseconds since the epoch. */
  submittedAt: number;
  /** What is known of the task before its first reading: `null` for a task that this client did not submit. */
  known: WaitingTask | null;
  maxWaitMs: number;
  options: RequestOptions;
}

/**
 * Polls a task until it is over and yields every reading in which something changed, last the final one. A read that
 * fails is only the next poll's delay: a wait survives an outage of the service. Nothing is polled while nobody asks
 * for the next reading.
 */
export async function* observe(observation: Observation): AsyncGenerator<Reading, void, void> {
  const { transport, taskId, schedule } = observation;
  const { clock, redactor } = transport;
  const notAfter = clock.now() + observation.maxWaitMs;
  let notBefore = observation.submittedAt + schedule(0);
  let known = observation.known;
  let seen: Task | null = null;
  let shown = "";
  let failure: unknown;

  for (let poll = 1; ; poll++) {
    const result = await pollOnce(observation, { notBefore, notAfter, task: known ?? undefined });
    if (result === null) {
      throw new WaitTimeoutError(timeoutMessage(observation), {
        taskId,
        task: redactor.data(seen),
        cause: failure,
      });
    }

    failure = "failure" in result ? result.failure : undefined;
    if ("data" in result) {
      seen = result.data;
      known = { ...waitingTask(observation, known, seen), unfinishedAt: clock.now() };
      const shows = JSON.stringify(seen);
      const isFinal = isFinalStatus(seen.status);
      if (isFinal || shows !== shown) {
        transport.emitter.emit("task", () => ({ task: redactor.data(result.data) }));
        yield result;
      }
      if (isFinal) return;
      shown = shows;
    }
    notBefore = clock.now() + Math.max(schedule(poll), statedMs(failure, clock.now()));
  }
}

/** The next reading, the failure of a read that the wait outlasts, or `null` when the wait's time is over. */
async function pollOnce(
  observation: Observation,
  pacing: PollWish["pacing"],
): Promise<Reading | { failure: unknown } | null> {
  const { transport, polls, call, taskId, options } = observation;
  const timeoutMs = () => {
    const leftMs = Math.max(0, pacing.notAfter - transport.clock.now()) + GRACE_MS;
    return Math.min(options.timeoutMs ?? transport.timeoutMs, leftMs);
  };
  const read = async (signal: AbortSignal) => {
    const reading = await pollTask(transport, call, { ...options, signal, timeoutMs: timeoutMs() });
    const task = waitingTask(observation, pacing.task ?? null, reading.data);
    transport.pacer.learn(task, isFinalStatus(reading.data.status));
    return reading;
  };
  try {
    return await polls.next({ taskId, pacing, signal: options.signal, timeoutMs, read });
  } catch (failure) {
    options.signal?.throwIfAborted();
    if (!endsWait(failure)) return { failure };
    throw failure instanceof AsyncMusicError ? failure : brokenWait(observation, failure);
  }
}

/** What the pacer is told of a task that was read: of one that another process submitted, when the service says that was. */
function waitingTask(
  { submittedAt, transport }: Observation,
  known: WaitingTask | null,
  { model, type, created_at }: Task,
): WaitingTask {
  if (known !== null) return { ...known, model, type };
  const createdAt = Math.min(transport.clock.now(), parseDate(created_at) ?? submittedAt);
  return { model, type, submittedAt: createdAt, unfinishedAt: createdAt };
}

/** What a wait can't outlast: a key or an id that is refused, and anything that is no failed read at all. */
function endsWait(failure: unknown): boolean {
  if (failure instanceof AuthenticationError || failure instanceof TaskNotFoundError) return true;
  if (failure instanceof ApiError) return failure.status === 401 || failure.status === 404;
  return ![ConnectionError, InvalidResponseError, PollAbandoned].some((kind) => failure instanceof kind);
}

/** What a pacer or a clock of the application's own threw: the task is paid for, and goes on. */
function brokenWait({ taskId, transport }: Observation, failure: unknown): AsyncMusicError {
  const message = `Failed to wait for task ${taskId}: what paces the client threw. ${resumeAdvice(taskId)}`;
  return new AsyncMusicError(message, { taskId, cause: transport.redactor.cause(failure) });
}

/** The wait that a failed read stated, a 429 or any other: the next poll doesn't undercut it. */
function statedMs(failure: unknown, now: number): number {
  if (failure instanceof RateLimitedError && failure.retryAt !== null) return failure.retryAt.getTime() - now;
  return failure instanceof ApiError ? (statedWaitMs(failure.headers, null, now) ?? 0) : 0;
}

function timeoutMessage({ taskId, maxWaitMs }: Observation): string {
  return `Failed to wait for task ${taskId}: it was not over after ${maxWaitMs} ms, and goes on. ${resumeAdvice(taskId)}`;
}
