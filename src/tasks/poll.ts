import { isFinalStatus } from "../contract/service.js";
import type { Task } from "../contract/task.js";
import { ApiError, AuthenticationError, TaskNotFoundError } from "../errors/api-errors.js";
import { AsyncMusicError, resumeAdvice } from "../errors/base.js";
import { ConnectionError, InvalidResponseError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { WaitTimeoutError } from "../errors/task-errors.js";
import type { Call, Context } from "../http/context.js";
import { timeoutError } from "../http/failure.js";
import { createRequestId } from "../http/ids.js";
import type { Result } from "../http/outcome.js";
import { LONGEST_TIMEOUT_MS, type RequestOptions } from "../http/request-options.js";
import { emitAdmission, reportUnsent } from "../http/send.js";
import type { WaitingTask } from "../rate-limit/pacer.js";
import { isReasonOf } from "../time/abort.js";
import { whenOverdue } from "../time/clock.js";
import { within } from "../time/deadline.js";
import type { Random } from "../time/random.js";
import { createdAtByClient } from "./created-at.js";
import type { Estimates, LastReading } from "./estimate.js";
import type { CheckedWait, PollGaps, WaitOptions } from "./options.js";
import {
  type Admission,
  PollInFlight,
  type PollOutcome,
  QueuedPoll,
  type SharedPolls,
} from "./queued-poll.js";
import { checkResult, pollTask, retrieveCall } from "./read-task.js";
import type { TenantOptions } from "./tenant.js";

/** How long after the end of a wait the response to its last poll may arrive, in real milliseconds. */
const GRACE_MS = 500;

/** Consecutive failed polls lengthen the gap by this factor each, up to the longest. */
const FAILURE_GROWTH = 1.5;

/** Each gap is lengthened by up to this share, so that clients that start together do not poll together. */
const JITTER = 0.02;

/** The gap before the next poll, in milliseconds: from the shortest, and longer after failures; never above the longest. */
export function pollGapMs([shortest, longest]: PollGaps, failures: number, random: Random): number {
  const least = Math.min(shortest * FAILURE_GROWTH ** failures, longest / (1 + JITTER));
  return Math.min(longest, Math.ceil(Math.max(shortest, least) * (1 + JITTER * random())));
}

interface Settings extends Pick<CheckedWait, "gaps" | "maxWaitMs">, TenantOptions {
  /** The options of each poll. */
  options: RequestOptions;
  onUpdate: WaitOptions["onUpdate"];
  /** Note each change before everything else that receives it. */
  estimates: Estimates;
  taskId: string;
  /** What was ordered; `undefined` if only the task's ID is known. */
  type: string | undefined;
  journalKey: string | undefined;
  /** When the task was submitted, in milliseconds since the epoch; `null` if only its ID is known: it is read at once. */
  submittedAt: number | null;
  /** The earliest time of the first read, in milliseconds since the epoch. */
  notBefore: number;
  /** What is known about the task; `null` before the first reading of a task that this client did not submit. */
  known: WaitingTask | null;
}

/**
 * Polls a task for one wait, as often as `next()` is called. A failed poll only delays the next one, so a wait survives an
 * outage of the service.
 */
export class TaskPoller implements LastReading {
  readonly context: Context;
  readonly #polls: SharedPolls;
  readonly settings: Settings;
  /** The end of the wait, in milliseconds since the epoch. */
  readonly #notAfter: number;
  /** The earliest time of the last poll that was queued; `null` before the first. */
  #queuedFor: number | null = null;
  known: WaitingTask | null;
  /** The task as last seen, as JSON: that takes less memory than the object. */
  #seen = "";
  hasEnded = false;
  /** The last poll's failure, and how many polls in a row have failed. */
  #failure: unknown;
  #failures = 0;
  /** No poll is sent before this: the end of a stated wait, or of the second after another process may have polled. */
  #retryAt: number;

  constructor(context: Context, polls: SharedPolls, settings: Settings) {
    this.context = context;
    this.#polls = polls;
    this.settings = settings;
    this.#notAfter = context.clock.now() + settings.maxWaitMs;
    this.known = settings.known;
    this.#retryAt = settings.notBefore;
  }

  /**
   * Queues the next poll, and reads the task when the pacer admits it, or joins the poll of another wait. `null`: nothing
   * changed, or the poll failed and the wait continues.
   */
  next(): Promise<Result<Task> | null> {
    const { clock, random, pacer } = this.context;
    const { taskId, gaps, options, tenant } = this.settings;
    const now = clock.now();
    const gapMs = pollGapMs(gaps, this.#failures, random);
    const notBefore = this.#schedule(now, gapMs);
    const queued = new QueuedPoll(Math.max(now, notBefore), options.signal);
    // Not an async function: tens of thousands of waits are in the queue, and it would take more memory.
    const read = (admission: Admission) => this.#read(queued, admission);
    // A wait that is not yet due has just received the result of the poll in flight, or has abandoned it as too slow.
    const inFlight = notBefore <= now ? this.#polls.inFlight.get(taskId) : undefined;
    if (inFlight?.signal.aborted === false) {
      queued.join(inFlight);
      return read(false);
    }
    const others = this.#polls.queued.get(taskId);
    if (others === undefined) this.#polls.queued.set(taskId, new Set([queued]));
    else others.add(queued);
    if (options.signal?.aborted) return read(false);
    const request = {
      kind: "poll",
      tenant,
      taskId,
      notBefore,
      dueBy: notBefore + gaps[1] - gapMs,
      notAfter: this.#notAfter,
      task: this.known ?? undefined,
    } as const;
    try {
      const admitted = pacer.admit(request, queued.withdrawal.signal);
      return Promise.resolve(admitted).then(read, (refusal) => read({ refusal }));
    } catch (refusal) {
      return read({ refusal });
    }
  }

  /** The call that reads the task. Made for each poll: tens of thousands of waits would keep one each. */
  call(): Call {
    const { taskId, tenant, journalKey } = this.settings;
    return retrieveCall(taskId, "poll", tenant, journalKey);
  }

  /** Checks the result of the task if it has succeeded. */
  check(reading: Result<Task>): void {
    checkResult(this.context, this.call(), reading, this.settings.type);
  }

  /** Sets and returns the earliest time of the next poll, in milliseconds since the epoch. Emits `retry` after a failure. */
  #schedule(now: number, gapMs: number): number {
    const previousAt = this.#queuedFor === null ? this.settings.submittedAt : now;
    let dueAt = previousAt === null ? now : previousAt + gapMs;
    // A shared poll failed before this wait was due. The other wait's own limits may be the cause: keep the time.
    if (this.#queuedFor !== null && this.#failure !== undefined && now < this.#queuedFor)
      dueAt = this.#queuedFor;
    const notBefore = Math.max(dueAt, this.#retryAt);
    this.#queuedFor = notBefore;
    if (this.#failure !== undefined && notBefore <= this.#notAfter) {
      const event = () => ({ retry: this.#failures, waitMs: notBefore - now, error: this.#failure });
      this.context.emitter.emit("retry", event);
    }
    return notBefore;
  }

  /** Carries out a poll that has left the queue, and learns from its outcome. */
  async #read(queued: QueuedPoll, admission: Admission): Promise<Result<Task> | null> {
    const { clock, emitter, redactor } = this.context;
    const outcome = await this.#carryOut(queued, admission)
      .catch(failed)
      .finally(() => queued.leave());
    const now = clock.now();
    if (!("result" in outcome)) {
      const { error, statedWaitMs, hasNewKey } = outcome;
      this.settings.options.signal?.throwIfAborted();
      // The next poll is sent with the new key. If that is refused, too, the wait ends.
      const isRotation = hasNewKey && !(this.#failure instanceof AuthenticationError);
      if (endsWait(error) && !isRotation) throw error;
      this.#failure = error;
      this.#failures++;
      this.#retryAt = now + (statedWaitMs ?? 0);
      return null;
    }

    const { data } = outcome.result;
    this.#failure = undefined;
    this.#failures = 0;
    this.#retryAt = 0;
    this.known = { ...this.#taskOf(data), unfinishedAt: now, resumedAt: undefined };
    this.hasEnded = isFinalStatus(data.status);
    const seen = JSON.stringify(data);
    if (!isFinalStatus(data.status) && seen === this.#seen) return null;
    this.#seen = seen;
    emitter.emit("task", () => ({ task: redactor.data(JSON.parse(seen)) }));
    return { ...outcome.result, data: this.copy() };
  }

  /** A new copy of the task as last seen: an application may change it, and other waits share the poll. */
  copy(): Task {
    const task: Task = JSON.parse(this.#seen);
    this.settings.estimates.note(task, this);
    return task;
  }

  async #carryOut(queued: QueuedPoll, admission: Admission): Promise<PollOutcome> {
    const { clock } = this.context;
    const { taskId } = this.settings;
    const { signal, timeoutMs = this.context.timeoutMs } = this.settings.options;
    queued.end();
    const others = this.#polls.queued.get(taskId);
    if (others?.delete(queued) && others.size === 0) this.#polls.queued.delete(taskId);
    if (admission === true && signal?.aborted) reportUnsent(this.context, this.call(), clock.now());
    signal?.throwIfAborted();
    if (admission === true) {
      const waitedMs = clock.now() - queued.dueAt;
      emitAdmission(this.context, this.call(), `read task ${taskId}`, waitedMs);
      this.#begin(queued);
    }
    const { shared } = queued;
    if (shared === undefined) throw typeof admission === "boolean" ? this.#timeout() : admission.refusal;

    // Its own poll has the limit of a request itself.
    const leftMs = Math.max(0, this.#notAfter - clock.now()) + GRACE_MS;
    const limitMs = Math.min(leftMs, admission === true ? LONGEST_TIMEOUT_MS : timeoutMs);
    const timedOut = () => timeoutError(this.call(), this.context.redactor.text(shared.requestId), limitMs);
    // Leaves a poll that stalls until the wait is over, also if a test moves the clock meanwhile.
    let stopWatching = () => {};
    const overdue = new Promise<never>((_, reject) => {
      stopWatching = whenOverdue(clock, this.#notAfter, GRACE_MS, () => reject(timedOut()));
    });
    const ended = () => Promise.race([shared.outcome, overdue]);
    return within(limitMs, ended, signal, timedOut).finally(stopWatching);
  }

  /** Begins a poll, which all queued polls of the task join. */
  #begin(queued: QueuedPoll): void {
    const { taskId, options } = this.settings;
    const { inFlight } = this.#polls;
    const { requestId = createRequestId(this.context.random) } = options;
    const poll = new PollInFlight(requestId, (signal) =>
      this.#request({ ...options, signal, requestId }).catch(failed),
    );
    queued.join(poll);
    inFlight.set(taskId, poll);
    void poll.outcome.then(() => {
      if (inFlight.get(taskId) === poll) inFlight.delete(taskId);
    });
    const others = this.#polls.queued.get(taskId) ?? [];
    this.#polls.queued.delete(taskId);
    for (const other of others) {
      other.join(poll);
      other.withdrawal.abort();
    }
  }

  /** Sends the poll. */
  async #request(options: RequestOptions & { requestId: string }): Promise<PollOutcome> {
    const outcome = await pollTask(this.context, this.call(), options);
    if (!("result" in outcome)) return outcome;
    const { data } = outcome.result;
    const isEnded = isFinalStatus(data.status);
    this.context.pacer.learn(this.#taskOf(data), isEnded);
    if (isEnded) this.#emitCompletion(outcome.result);
    return outcome;
  }

  #emitCompletion({ data, response }: Result<Task>): void {
    const { emitter, redactor } = this.context;
    emitter.emit("completion", () => ({
      task: redactor.data(structuredClone(data)),
      tenant: this.settings.tenant ?? null,
      date: response.headers.get("Date"),
      receivedAt: response.receivedAt,
    }));
  }

  /** What the pacer learns about a task. The age of one that another process submitted comes from its first reading. */
  #taskOf({ model, type, created_at }: Task): WaitingTask {
    if (this.known !== null) return this.known;
    const now = this.context.clock.now();
    const createdAt = createdAtByClient(this.context, created_at) ?? this.settings.submittedAt ?? now;
    const resumedAt = this.#queuedFor ?? createdAt;
    return { model, type, submittedAt: createdAt, unfinishedAt: createdAt, resumedAt };
  }

  /** The error of the wait for one that was thrown, which names the task, or the reason of an abort. */
  endOfWait(error: unknown): unknown {
    if (error instanceof AsyncMusicError || isReasonOf(this.settings.options.signal, error)) return error;
    return waitFailure(this.settings, "the pacer or clock threw", error, this.context.redactor);
  }

  #timeout(): WaitTimeoutError {
    const { taskId, journalKey, maxWaitMs } = this.settings;
    const seen: Task | null = this.#seen === "" ? null : JSON.parse(this.#seen);
    const task = this.context.redactor.data(seen);
    const what = `No end of task ${taskId} was seen within ${maxWaitMs / 1000} s`;
    const unread =
      this.#failure === undefined ? "its first poll was not sent by then" : "it could not be read";
    const why = task === null ? unread : `its last status is ${task.status}`;
    const parts = { what, why, ...resumeAdvice(journalKey, taskId) };
    return new WaitTimeoutError(parts, { taskId, task, cause: this.#failure });
  }
}

export type WaitedFor = Pick<Settings, "taskId" | "journalKey">;

/** The error for a wait that foreign code ended: it carries the task's ID, so that the task is not lost. */
export function waitFailure(
  { taskId, journalKey }: WaitedFor,
  reason: string,
  thrown: unknown,
  redactor: Redactor,
) {
  const parts = {
    what: `Failed to wait for task ${taskId}`,
    why: `${reason}; see \`cause\``,
    ...resumeAdvice(journalKey, taskId),
  };
  return new AsyncMusicError(parts, { taskId, cause: redactor.cause(thrown) });
}

function failed(error: unknown): PollOutcome {
  return { error, mayResend: false };
}

/** A refused key or task ID ends a wait, and so does every error that is not a failed read. */
function endsWait(error: unknown): boolean {
  if (error instanceof AuthenticationError || error instanceof TaskNotFoundError) return true;
  if (error instanceof ApiError) return error.status === 401 || error.status === 404;
  return !(error instanceof ConnectionError || error instanceof InvalidResponseError);
}
