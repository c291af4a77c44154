import { AsyncMusicError } from "../errors/base.js";
import { isReasonOf } from "../time/abort.js";
import type { Context } from "./context.js";
import type { FailedAttempt } from "./outcome.js";
import type { RequestOptions } from "./request-options.js";

/** The ceiling of the first wait between two attempts, in milliseconds. It doubles with each retry, up to the highest. */
const FIRST_BACKOFF_MS = 500;

const HIGHEST_BACKOFF_MS = 8000;

/**
 * The retries of one call. The waits are 0 to 0.5 s, 0 to 1 s, 0 to 2 s and so on, at most 8 s; a stated wait replaces these and
 * is never shortened: if it exceeds the budget, the call fails at once.
 */
export class Retries {
  readonly #context: Context;
  readonly #maxRetries: number;
  readonly #signal: AbortSignal | undefined;
  #done = 0;
  /** What is left for all waits, in milliseconds. */
  budgetMs: number;

  constructor(
    context: Context,
    { maxRetries = context.maxRetries, signal }: Pick<RequestOptions, "maxRetries" | "signal">,
  ) {
    this.#context = context;
    this.#maxRetries = maxRetries;
    this.#signal = signal;
    this.budgetMs = context.retryBudgetMs;
  }

  /** Waits for the time of the next attempt. @throws the error of the last one if there is no other */
  async waitOrThrow({ error, mayResend, statedWaitMs }: FailedAttempt): Promise<void> {
    const { clock, random, emitter } = this.#context;
    const highestMs = Math.min(HIGHEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#done);
    const waitMs = statedWaitMs ?? random() * highestMs;
    if (!mayResend || this.#done >= this.#maxRetries || waitMs > this.budgetMs) throw error;
    this.budgetMs -= waitMs;
    const retry = ++this.#done;
    emitter.emit("retry", () => ({ retry, waitMs, error }));
    await clock.sleep(waitMs, this.#signal);
  }

  /** The error of the call for one that was thrown. A custom pacer or clock may throw anything, the key included. */
  errorOf(error: unknown): unknown {
    if (error instanceof AsyncMusicError || isReasonOf(this.#signal, error)) return error;
    return (
      this.#context.redactor.cause(error) ??
      new AsyncMusicError({ what: "Failed to send the request", why: "the pacer or clock threw" })
    );
  }
}
