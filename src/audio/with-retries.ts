import type { Context } from "../http/context.js";
import type { FailedAttempt, Tried } from "../http/outcome.js";
import type { RequestOptions } from "../http/request-options.js";
import { Retries } from "../http/retries.js";

/** Repeats an attempt until it succeeds. `failed`: an attempt that was made before. @throws the error of the last one */
export async function withRetries<Result>(
  context: Context,
  options: Pick<RequestOptions, "maxRetries" | "signal">,
  tryOnce: () => Promise<Tried<Result>>,
  failed?: FailedAttempt,
): Promise<Result> {
  const retries = new Retries(context, options);
  try {
    for (let tried = failed ?? (await tryOnce()); ; tried = await tryOnce()) {
      if ("result" in tried) return tried.result;
      await retries.waitOrThrow(tried);
    }
  } catch (error) {
    throw retries.errorOf(error);
  }
}
