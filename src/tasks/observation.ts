import type { Task } from "../contract/task.js";
import { isFinalStatus } from "../contract/task.js";
import { WaitTimeoutError } from "../errors/task-errors.js";
import type { Call } from "../http/call.js";
import type { Transport } from "../http/transport.js";
import type { WaitingTask } from "../rate-limit/pacer.js";
import { parseDate } from "../time/clock.js";
import { resumeAdvice, retrieveCall } from "./calls.js";
import { endOfWait, endsWait, statedMs } from "./failed-poll.js";
import type { WaitOptions } from "./options.js";
import { GRACE_MS } from "./patience.js";
import { Place, type Poller, type Turn } from "./place.js";
import { type PollGaps, pollGapMs } from "./poll-schedule.js";
import { pollTask, type Reading } from "./retrieve.js";
import type { SharedPolls } from "./shared-polls.js";

/** A wait, with its options checked. */
export interface Wait {
  taskId: string;
  /** Where its id was found, if in a journal. */
  journalKey: string | undefined;
  gaps: PollGaps;
  /** When the task was submitted, as far as is known, in milliseconds since the epoch. */
  submittedAt: number;
  /** What is known of the task before its first reading: `null` for a task that this client did not submit. */
  known: WaitingTask | null;
  maxWaitMs: number;
  options: WaitOptions;
}

/**
 * A task as one wait sees it: when to look at it next, and what was seen. A read that fails is only the next poll's
 * delay: a wait survives an outage of the service. Nothing is polled while nobody asks for the next turn.
 */
export class Observation implements Poller {
  readonly transport: Transport;
  readonly notAfter: number;
  notBefore = 0;
  dueBy = 0;
  known: WaitingTask | null;
  readonly #wait: Wait;
  readonly #polls: SharedPolls;
  #place: Place | null = null;
  #isFirst = true;
  /** The task as it was seen last, as JSON: that takes less room than the task. */
  #shown = "";
  #failure: unknown;
  /** How many reads in a row have failed. */
  #failures = 0;

  constructor(transport: Transport, polls: SharedPolls, wait: Wait) {
    this.transport = transport;
    this.notAfter = transport.clock.now() + wait.maxWaitMs;
    this.known = wait.known;
    this.#wait = wait;
    this.#polls = polls;
  }

  get taskId(): string {
    return this.#wait.taskId;
  }

  get signal(): AbortSignal | undefined {
    return this.#wait.options.signal;
  }

  /** The call that reads the task: made anew for each poll, since most of the time there is none. */
  get call(): Call {
    return retrieveCall(this.taskId, "poll", this.transport.redactor, this.#wait.journalKey);
  }

  /** Resolves when it is time for the next `look`. */
  turn(): Promise<Turn> {
    const { clock, random } = this.transport;
    const now = clock.now();
    const { gaps, submittedAt } = this.#wait;
    this.#failures = this.#failure === undefined ? 0 : this.#failures + 1;
    const gapMs = pollGapMs(gaps, this.#failures, random);
    this.notBefore = this.#isFirst ? submittedAt + gapMs : this.#dueAgain(now, gapMs);
    this.dueBy = this.notBefore + gaps[1] - gapMs;
    this.#isFirst = false;
    this.#tellRetry(now);
    this.#place = new Place(this, this.#polls);
    return this.#place.turn;
  }

  /** The next reading, if something has changed in it: the first one always, and the final one. */
  async look(turn: Turn): Promise<Reading | null> {
    const { clock, emitter, redactor } = this.transport;
    const reading = await this.#read(turn);
    if (reading === null) return null;

    this.known = { ...this.#taskOf(reading), unfinishedAt: clock.now(), resumedAt: undefined };
    const shown = JSON.stringify(reading.data);
    if (!isFinalStatus(reading.data.status) && shown === this.#shown) return null;
    this.#shown = shown;
    emitter.emit("task", () => ({ task: redactor.data(reading.data) }));
    return reading;
  }

  /** How long this wait would now wait for the answer to a poll, in real milliseconds. */
  timeoutMs(): number {
    const leftMs = Math.max(0, this.notAfter - this.transport.clock.now()) + GRACE_MS;
    return Math.min(this.#wait.options.timeoutMs ?? this.transport.timeoutMs, leftMs);
  }

  async poll(signal: AbortSignal): Promise<Reading> {
    const options = { ...this.#wait.options, signal, timeoutMs: this.timeoutMs() };
    const reading = await pollTask(this.transport, this.call, options);
    this.transport.pacer.learn(this.#taskOf(reading), isFinalStatus(reading.data.status));
    return reading;
  }

  /** When to look again. A failure before this wait was due is that of another's poll, by whose limits it may have failed. */
  #dueAgain(now: number, gapMs: number): number {
    const isAnothers = this.#failure !== undefined && now < this.notBefore;
    return Math.max(isAnothers ? this.notBefore : now + gapMs, now + statedMs(this.#failure, now));
  }

  /** The next reading, `null` after the failure of a read that the wait outlasts. */
  async #read(turn: Turn): Promise<Reading | null> {
    const { taskId, signal } = this;
    try {
      const reading = (await this.#place?.take(turn)) ?? null;
      if (reading === null) throw this.#timeout();
      this.#failure = undefined;
      return reading;
    } catch (failure) {
      signal?.throwIfAborted();
      if (endsWait(failure)) throw endOfWait(failure, taskId, this.transport.redactor);
      this.#failure = failure;
      return null;
    }
  }

  /** An outage is a wait that goes on, and must not be a silent one. */
  #tellRetry(now: number): void {
    if (this.#failure !== undefined && this.notBefore <= this.notAfter) {
      const event = { retry: this.#failures, waitMs: this.notBefore - now, error: this.#failure };
      this.transport.emitter.emit("retry", () => event);
    }
  }

  /** What the pacer is told of a task that was read: of one that another process submitted, when the service says that was. */
  #taskOf({ data: { model, type, created_at } }: Reading): WaitingTask {
    if (this.known !== null) return { ...this.known, model, type };
    const { submittedAt } = this.#wait;
    const createdAt = Math.min(this.transport.clock.now(), parseDate(created_at) ?? submittedAt);
    return { model, type, submittedAt: createdAt, unfinishedAt: createdAt, resumedAt: this.notBefore };
  }

  #timeout(): WaitTimeoutError {
    const { taskId, maxWaitMs } = this.#wait;
    const message = `Failed to wait for task ${taskId}: it was not over after ${maxWaitMs} ms, and goes on. ${resumeAdvice(taskId)}`;
    const seen: Task | null = this.#shown === "" ? null : JSON.parse(this.#shown);
    return new WaitTimeoutError(message, {
      taskId,
      task: this.transport.redactor.data(seen),
      cause: this.#failure,
    });
  }
}
