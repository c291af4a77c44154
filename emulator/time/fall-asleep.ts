import { LATEST_TIME } from "./clock.js";
import type { Sleepers } from "./sleepers.js";

/**
 * Sleeps among these until a time; rejects with the signal's reason when it is aborted first, and with theirs when no
 * time comes any more.
 */
export function fallAsleep(
  sleepers: Sleepers,
  wakeAt: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const leave = sleepers.add({
      wakeAt,
      wake() {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      fail(reason) {
        signal?.removeEventListener("abort", onAbort);
        reject(reason);
      },
    });
    const onAbort = () => {
      leave();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** When a sleep that begins now ends: on a whole millisecond, and never too early. What is past the latest time never comes. */
export function wakeTime(now: number, ms: number): number {
  const wakeAt = ms > 0 ? Math.ceil(now + ms) : now;
  return wakeAt <= LATEST_TIME ? wakeAt : Number.POSITIVE_INFINITY;
}
