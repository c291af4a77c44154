import type { Clock } from "../time/clock.js";

/** The pauses before the tries, in milliseconds: 31 s in all. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 16_000];

/** Tries again what failed, 5 times within 31 s, until it is done or the signal aborts. Never rejects. */
export async function tryLater(
  clock: Pick<Clock, "sleep">,
  isDone: () => boolean,
  work: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (const ms of PAUSES_MS) {
    if (isDone() || signal?.aborted) return;
    try {
      await clock.sleep(ms, signal);
      await work();
    } catch {
      // The next try may succeed.
    }
  }
}
