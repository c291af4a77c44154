import { judge } from "./judge.ts";

/** The two classes of `inngest` that control retries of a step. */
export interface InngestErrors {
  NonRetriableError: new (message: string, options?: { cause?: unknown }) => Error;
  RetryAfterError: new (message: string, retryAfter: Date, options?: { cause?: unknown }) => Error;
}

/**
 * Runs a step, and maps its errors to Inngest's retry rules. Its tests call it without Inngest's server.
 *
 * @example
 * ```ts
 * const song = await step.run("song", () =>
 *   inInngest({ NonRetriableError, RetryAfterError }, () => fulfil(event.data, means)),
 * );
 * ```
 */
export async function inInngest<Result>(
  { NonRetriableError, RetryAfterError }: InngestErrors,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const verdict = judge(cause);
    if (!verdict.again) throw new NonRetriableError(String(cause), { cause });
    if (verdict.notBefore === null) throw cause;
    throw new RetryAfterError(String(cause), verdict.notBefore, { cause });
  }
}
