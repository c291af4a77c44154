import { DelayedError, type Job, UnrecoverableError } from "bullmq";
import { judge } from "./judge.ts";

/** Runs a job, and maps its errors to BullMQ's retry rules. */
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
    // BullMQ counts it as an attempt, and retries after the job's backoff.
    if (verdict.notBefore === null) throw error;
    await job.moveToDelayed(verdict.notBefore.getTime(), token);
    throw new DelayedError();
  }
}
