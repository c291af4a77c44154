import { AsyncMusicError } from "../errors/base.js";
import { isReasonOf } from "../time/abort.js";
import type { Clock } from "../time/clock.js";
import type { Random } from "../time/random.js";
import { backoffMs } from "./backoff.js";
import type { Emitter } from "./emitter.js";
import type { Redactor } from "./redactor.js";

/** A try that failed. */
export interface FailedTry {
  error: unknown;
  /** Whether another try may succeed, and does no harm. */
  mayRetry: boolean;
  /** The wait that the answer stated, in milliseconds; `null` where it stated none. */
  statedMs: number | null;
}

/** What a series of tries works with. */
export interface RetryLimits {
  clock: Clock;
  random: Random;
  maxRetries: number;
  /** All waiting between the tries, in milliseconds. */
  retryBudgetMs: number;
  signal: AbortSignal | undefined;
  emitter: Emitter;
  redactor: Pick<Redactor, "cause">;
}

/**
 * Tries until one succeeds, and throws the error of the last when no other is allowed. A stated wait is kept, and is
 * not shortened where it doesn't fit into the budget: the series then ends at once.
 */
export async function retrying<Result>(limits: RetryLimits, attempt: Attempt<Result>): Promise<Result> {
  try {
    return await tryUntilSuccess(limits, attempt);
  } catch (error) {
    if (error instanceof AsyncMusicError || isReasonOf(limits.signal, error)) throw error;
    // A pacer or a clock of the application's own may throw anything, the key included.
    throw (
      limits.redactor.cause(error) ?? new AsyncMusicError("Failed to send: the pacer or the clock threw.")
    );
  }
}

type Attempt<Result> = (budgetMs: number) => Promise<{ result: Result } | FailedTry>;

async function tryUntilSuccess<Result>(
  { clock, random, maxRetries, retryBudgetMs, signal, emitter }: RetryLimits,
  attempt: Attempt<Result>,
): Promise<Result> {
  let budgetMs = retryBudgetMs;
  for (let retry = 0; ; retry++) {
    const tried = await attempt(budgetMs);
    if ("result" in tried) return tried.result;

    const waitMs = tried.statedMs ?? backoffMs(retry, random);
    if (!tried.mayRetry || retry >= maxRetries || waitMs > budgetMs) throw tried.error;
    budgetMs -= waitMs;
    emitter.emit("retry", () => ({ retry: retry + 1, waitMs, error: tried.error }));
    await clock.sleep(waitMs, signal);
  }
}
