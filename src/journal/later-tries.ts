import type { Clock } from "../time/clock.js";

/** Each pause is twice as long as the one before. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [1000, 16_000];

/** Tries again what failed, 5 times after growing pauses of 31 s in all, until it is done or the signal aborts. Never rejects. */
export async function tryLater(
  clock: Pick<Clock, "sleep">,
  isDone: () => boolean,
  work: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (let ms = FIRST_PAUSE_MS; ms <= LAST_PAUSE_MS && !isDone() && !signal?.aborted; ms *= 2) {
    try {
      // A clock of one's own may throw at once.
      await clock.sleep(ms, signal);
      await work();
    } catch {}
  }
}
