import type { Task } from "../contract/task.js";
import type { Result, Tried } from "../http/outcome.js";
import { type AbortCallback, Aborter, onAbort } from "../time/abort.js";

/** The result of a poll. The promise of a shared one never rejects. */
export type PollOutcome = Tried<Result<Task>>;

/** A poll in flight, which the waits on a task share. It is aborted when the last of them leaves before its end. */
export class PollInFlight extends Aborter {
  readonly requestId: string;
  readonly outcome: Promise<PollOutcome>;
  #waits = 0;

  /** @param send - must not reject */
  constructor(requestId: string, send: (signal: AbortSignal) => Promise<PollOutcome>) {
    super();
    this.requestId = requestId;
    this.outcome = send(this.signal);
  }

  enter(): void {
    this.#waits++;
  }

  leave(): void {
    if (--this.#waits === 0) this.abort();
  }
}

/** A poll of one wait in the queue of the pacer. */
export class QueuedPoll {
  /** From when on it waits for the rate limit only, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** Takes the poll out of the queue. */
  readonly withdrawal = new Aborter();
  /** The poll in flight that it shares: of another wait, or its own. */
  shared: PollInFlight | undefined;
  readonly #abort: AbortCallback;

  constructor(dueAt: number, signal: AbortSignal | undefined) {
    this.dueAt = dueAt;
    this.#abort = onAbort(signal, () => this.withdrawal.abort(signal?.reason));
  }

  /** Shares a poll in flight until `leave`, in place of the one before. */
  join(poll: PollInFlight): void {
    poll.enter();
    this.leave();
    this.shared = poll;
  }

  leave(): void {
    this.shared?.leave();
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
  readonly inFlight: Map<string, PollInFlight>;
  readonly queued: Map<string, Set<QueuedPoll>>;
}
