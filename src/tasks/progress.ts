import { AsyncMusicError } from "../errors/base.js";
import type { Context } from "../http/context.js";
import { dateAt } from "../time/date.js";

/** The progress of a batch. */
export interface RunAllProgress {
  /** How many requests there are; `null` for an iterable of unknown length. */
  total: number | null;
  /** How many have a task, finished or not. */
  submitted: number;
  /** How many have a result. */
  succeeded: number;
  /** How many have failed, submitted or not. */
  failed: number;
  /**
   * When requests of the batch are expected to be sent again, by the client's clock, while the rate limit delays its
   * submissions or a 429 pauses all its requests; otherwise `null`. There is no call at that time: compare it with the
   * current time.
   */
  waitingUntil: Date | null;
}

/** A smaller change of the end of a delay is not reported, in milliseconds. */
const REPORTED_CHANGE_MS = 1000;

const NEVER = Number.NEGATIVE_INFINITY;

/** Reports the progress of a batch. What the callback throws is thrown at the end, so that no result is lost. */
export class BatchProgress {
  readonly #onProgress: (progress: RunAllProgress) => unknown;
  readonly #context: Pick<Context, "clock" | "redactor">;
  readonly #counts: Omit<RunAllProgress, "waitingUntil">;
  /** How many items the rate limit delays, and until when, in milliseconds since the epoch. */
  #delayedItems = 0;
  #delayedUntil = NEVER;
  /** Until when a 429 pauses all requests. */
  #pausedUntil = NEVER;
  #reportedUntil = NEVER;
  #thrown: { cause: unknown } | null = null;
  /** Nothing is reported after its abort: the iteration has ended, and its runs have not failed. */
  readonly #signal: AbortSignal;

  constructor(
    requests: object,
    onProgress: (progress: RunAllProgress) => unknown,
    context: Pick<Context, "clock" | "redactor">,
    signal: AbortSignal,
  ) {
    const total = Array.isArray(requests) ? requests.length : requests instanceof Set ? requests.size : null;
    this.#counts = { total, submitted: 0, succeeded: 0, failed: 0 };
    this.#onProgress = onProgress;
    this.#context = context;
    this.#signal = signal;
  }

  begin(): ItemProgress {
    return new ItemProgress(this);
  }

  /** A 429 pauses all requests until a time in milliseconds since the epoch. */
  paused(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#reportDelay(until);
  }

  /** @throws AsyncMusicError when the callback has thrown. */
  end(): void {
    if (this.#thrown === null) return;
    const why = "`onProgress` threw; see `cause`";
    const parts = { what: "Failed to report the progress", why, facts: ["All runs have ended."] };
    throw new AsyncMusicError(parts, this.#thrown);
  }

  /** @internal */
  count(isSubmitted: boolean, end?: "succeeded" | "failed"): void {
    this.#counts.submitted += Number(isSubmitted);
    if (end !== undefined) this.#counts[end]++;
    void this.#report();
  }

  /** @internal The number of delayed items changes by `items`; `until`: the end of the delay of one of them, or `null`. */
  delay(items: number, until: number | null): void {
    this.#delayedItems += items;
    if (this.#delayedItems === 0) this.#delayedUntil = this.#reportedUntil = NEVER;
    if (until === null) return;
    this.#delayedUntil = Math.max(this.#delayedUntil, until);
    this.#reportDelay(until);
  }

  #reportDelay(until: number): void {
    if (until < this.#reportedUntil + REPORTED_CHANGE_MS) return;
    this.#reportedUntil = until;
    void this.#report();
  }

  /** `onProgress` may be async: it is not awaited, and may reject. */
  async #report(): Promise<void> {
    if (this.#thrown !== null || this.#signal.aborted) return;
    const { clock, redactor } = this.#context;
    try {
      const until = Math.max(this.#pausedUntil, this.#delayedItems > 0 ? this.#delayedUntil : NEVER);
      const waitingUntil = until > clock.now() ? dateAt(until) : null;
      await this.#onProgress({ ...this.#counts, waitingUntil });
    } catch (error) {
      this.#thrown ??= { cause: redactor.cause(error) };
    }
  }
}

/** The progress of one request of a batch. */
export class ItemProgress {
  readonly #batch: BatchProgress;
  #isSubmitted = false;
  #isDelayed = false;

  constructor(batch: BatchProgress) {
    this.#batch = batch;
  }

  /** The rate limit delays its submission until a time in milliseconds since the epoch; `null`: no longer. */
  delayed(until: number | null): void {
    const change = Number(until !== null) - Number(this.#isDelayed);
    this.#isDelayed = until !== null;
    this.#batch.delay(change, until);
  }

  submitted(): void {
    this.#note(true);
  }

  succeeded(): void {
    this.#note(true, "succeeded");
  }

  failed(error: unknown): void {
    this.#note(error instanceof AsyncMusicError && error.taskId !== null, "failed");
  }

  /** Counts the submission once, and how the item ended. */
  #note(hasTask: boolean, end?: "succeeded" | "failed"): void {
    this.#batch.count(hasTask && !this.#isSubmitted, end);
    this.#isSubmitted ||= hasTask;
  }
}
