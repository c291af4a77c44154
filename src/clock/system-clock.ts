import type { Clock } from "./clock.js";

/** Timers can't be set further ahead than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The system's time and its timers. */
export const systemClock: Clock = {
  now: () => Date.now(),

  async sleep(ms, signal) {
    const wakeAt = Date.now() + ms;
    for (let left = ms; left > 0; left = wakeAt - Date.now()) {
      await timer(Math.min(left, LONGEST_TIMER_MS), signal);
    }
    signal?.throwIfAborted();
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
