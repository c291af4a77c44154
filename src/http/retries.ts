import { AsyncMusicError } from "../errors/base.js";
import { isReasonOf } from "../time/abort.js";
import type { Context, RequestOptions, Tried } from "./context.js";

/** The ceiling of the first wait between two attempts, in milliseconds. It doubles with each retry, up to the highest. */
const FIRST_BACKOFF_MS = 500;

const HIGHEST_BACKOFF_MS = 8000;

/**
 * Repeats an attempt until it succeeds, or throws the error of the last one. Waits 0 to 0.5 s, 0 to 1 s, 0 to 2 s and so on,
 * at most 8 s; a stated wait replaces these and is never shortened: if it exceeds the budget, the call fails at once.
 */
export async function withRetries<Result>(
  context: Context,
  { maxRetries = context.maxRetries, signal }: Pick<RequestOptions, "maxRetries" | "signal">,
  tryOnce: (budgetMs: number) => Promise<Tried<Result>>,
): Promise<Result> {
  const { clock, random, emitter, redactor } = context;
  let budgetMs = context.retryBudgetMs;
  try {
    for (let retry = 0; ; retry++) {
      const tried = await tryOnce(budgetMs);
      if ("result" in tried) return tried.result;

      const { error, mayResend, statedWaitMs } = tried;
      const waitMs = statedWaitMs ?? random() * Math.min(HIGHEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
      if (!mayResend || retry >= maxRetries || waitMs > budgetMs) throw error;
      budgetMs -= waitMs;
      emitter.emit("retry", () => ({ retry: retry + 1, waitMs, error }));
      await clock.sleep(waitMs, signal);
    }
  } catch (error) {
    if (error instanceof AsyncMusicError || isReasonOf(signal, error)) throw error;
    // A custom pacer or clock may throw anything, the key included.
    throw (
      redactor.cause(error) ??
      new AsyncMusicError({ what: "Failed to send the request", why: "the custom pacer or clock threw" })
    );
  }
}
