import { startDeadline } from "../time/deadline.js";

/** A journal that takes longer for one thing has failed, in real milliseconds: a task that is paid for must be told. */
const LONGEST_MS = 30_000;

/** What a journal answers; rejects where it takes too long. */
export async function inTime<Value>(work: () => Promise<Value>, longestMs = LONGEST_MS): Promise<Value> {
  const deadline = startDeadline(longestMs);
  try {
    return await Promise.race([work(), deadline.ended]);
  } finally {
    deadline.clear();
  }
}
