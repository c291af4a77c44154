import { AsyncMusicError } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import { isReasonOf } from "../time/abort.js";

/** How many tasks a client has created up to a moment. */
export interface Count {
  /** Certainly. */
  readonly accepted: number;
  /** Perhaps: their POST is under way, */
  readonly open: number;
  /** or nobody knows what became of it. */
  readonly unknown: number;
}

/** A client's own count of the tasks that it creates. */
export interface CreateCount {
  now(): Count;
  /** Counts one submission, by how it ends. Its signal's reason, thrown as it is, says that nothing was sent. */
  during<Submission>(submit: () => Promise<Submission>, signal?: AbortSignal): Promise<Submission>;
}

export function createCount(): CreateCount {
  let [accepted, open, unknown] = [0, 0, 0];

  return {
    now: () => ({ accepted, open, unknown }),
    async during(submit, signal) {
      open++;
      try {
        const submission = await submit();
        accepted++;
        return submission;
      } catch (error) {
        if (isReasonOf(signal, error)) throw error;
        if (error instanceof AsyncMusicError && error.taskId !== null) accepted++;
        else if (error instanceof SubmissionOutcomeUnknownError) unknown++;
        throw error;
      } finally {
        open--;
      }
    },
  };
}
