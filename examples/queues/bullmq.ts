import { DelayedError, type Job, UnrecoverableError } from "bullmq";
import { judge } from "./judge.ts";

/** Does the work of a job, and tells BullMQ in its own words how it has failed. */
export async function inBullMq<Result>(
  job: Pick<Job, "moveToDelayed">,
  token: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const verdict = judge(error);
    if (!verdict.again) throw new UnrecoverableError(String(error));
    // Left to BullMQ it counts as an attempt, and comes again after the job's own backoff.
    if (verdict.notBefore === null) throw error;
    await job.moveToDelayed(verdict.notBefore.getTime(), token);
    throw new DelayedError();
  }
}
