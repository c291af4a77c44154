import { judge } from "./judge.ts";

/** `ApplicationFailure` of `@temporalio/activity`, as far as it is used here. */
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
 * Does the work of an activity, and tells Temporal in its own words how it has failed. The failure goes into the history
 * of the workflow: it holds the name and the message of the error, and the id of the task, but no prompt.
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
      // Without a delay, the activity's retry policy has its own.
      ...(delay > 0 && { nextRetryDelay: delay }),
      details: [error instanceof Error && "taskId" in error ? error.taskId : null],
    });
  }
}
