import type { FailedAttempt, Tried } from "../http/outcome.js";
import type { Retries } from "../http/retries.js";

/** Repeats an attempt until it succeeds. `failed`: an attempt that was made before. @throws the error of the last one */
export async function withRetries<Result>(
  retries: Retries,
  tryOnce: () => Promise<Tried<Result>>,
  failed?: FailedAttempt,
): Promise<Result> {
  try {
    for (let tried = failed ?? (await tryOnce()); ; tried = await tryOnce()) {
      if ("result" in tried) return tried.result;
      await retries.waitOrThrow(tried);
    }
  } catch (error) {
    throw retries.errorOf(error);
  }
}
