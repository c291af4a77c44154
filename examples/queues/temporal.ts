import { judge } from "./judge.ts";

/** The part of `ApplicationFailure` of `@temporalio/activity` that is used here. */
export interface ApplicationFailures {
  create(options: {
    message: string;
    type: string;
    nonRetryable: boolean;
    nextRetryDelay?: number;
    details: unknown[];
  }): Error;
}

/**
 * Runs an activity, and maps its errors to Temporal's retry rules. Its tests call it without Temporal's server. The failure is stored in the history of the workflow:
 * it contains the error's name and message and the task ID, but no prompt.
 *
 * @example
 * ```ts
 * export const song = (order: Order) => inTemporal(ApplicationFailure, () => fulfil(order, means));
 * ```
 */
export async function inTemporal<Result>(
  failures: ApplicationFailures,
  work: () => Promise<Result>,
  now: () => number = Date.now,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const verdict = judge(error);
    const delay = verdict.again && verdict.notBefore !== null ? verdict.notBefore.getTime() - now() : 0;
    throw failures.create({
      message: error instanceof Error ? error.message : String(error),
      type: error instanceof Error ? error.name : "Error",
      nonRetryable: !verdict.again,
      // Without a delay, the activity's retry policy applies.
      ...(delay > 0 && { nextRetryDelay: delay }),
      details: [error instanceof Error && "taskId" in error ? error.taskId : null],
    });
  }
}
