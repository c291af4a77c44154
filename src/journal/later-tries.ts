import type { Clock } from "../time/clock.js";

/** The pauses before the tries, in milliseconds. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 16_000];

/** Tries again what failed, 5 times after growing pauses of 31 s in all, until it is done or the signal aborts. Never rejects. */
export async function tryLater(
  clock: Pick<Clock, "sleep">,
  isDone: () => boolean,
  work: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const isOver = () => isDone() || signal?.aborted === true;
  const skip = () => {};
  for (const ms of PAUSES_MS) {
    if (isOver()) return;
    await clock.sleep(ms, signal).catch(skip);
    if (!isOver()) await work().catch(skip);
  }
}
