import type { Task } from "../contract/task.js";
import type { Result, Tried } from "../http/outcome.js";
import { type AbortCallback, Aborter, onAbort } from "../time/abort.js";

/** The result of a poll. The promise of a shared one never rejects. */
export type PollOutcome = Tried<Result<Task>>;

/** A poll of one wait in the queue of the pacer. */
export class QueuedPoll {
  /** From when on it waits for the rate limit only, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** Takes the poll out of the queue. */
  readonly withdrawal = new Aborter();
  /** The poll of another wait on the task, which replaces this one. */
  replacement: Promise<PollOutcome> | undefined;
  readonly #abort: AbortCallback;

  constructor(dueAt: number, signal: AbortSignal | undefined) {
    this.dueAt = dueAt;
    this.#abort = onAbort(signal, () => this.withdrawal.abort(signal?.reason));
  }

  replace(poll: Promise<PollOutcome>): void {
    this.replacement = poll;
    this.withdrawal.abort();
  }

  end(): void {
    this.#abort.remove();
  }
}

/**
 * The end of a poll's time in the queue: whether it is admitted, or what the pacer threw. It is not admitted if the time of the wait
 * is over, if the wait was aborted, or if it joins another poll in flight.
 */
export type Admission = boolean | { refusal: unknown };

/** The polls of one client, by task ID: those in flight, and those in the queue. */
export interface SharedPolls {
  readonly inFlight: Map<string, Promise<PollOutcome>>;
  readonly queued: Map<string, Set<QueuedPoll>>;
}
