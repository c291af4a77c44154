import { Heap } from "../../emulator/time/heap.js";
import type { Clock } from "../../src/time/clock.js";

interface Wakeup {
  at: number;
  wake(): void;
}

/** Time that skips from one wake-up to the next. */
export interface VirtualTime extends Clock {
  /** Lets time pass until the work is done. */
  during(work: Promise<unknown>): Promise<void>;
}

/** When the time of every run begins. */
const START = Date.UTC(2026, 0, 1);

export function createVirtualTime(): VirtualTime {
  const wakeups = new Heap<Wakeup>((one, other) => one.at < other.at);
  let time = START;

  return {
    now: () => time,

    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const onAbort = () => {
          wakeup.wake = () => {};
          reject(signal?.reason);
        };
        const wakeup: Wakeup = {
          at: time + Math.max(0, ms),
          wake() {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        wakeups.push(wakeup);
      }),

    async during(work) {
      let isDone = false;
      work.finally(() => {
        isDone = true;
      });
      for (;;) {
        // One turn of the event loop: all code that is not asleep runs until it waits.
        await new Promise((resolve) => setImmediate(resolve));
        if (isDone) break;
        const next = wakeups.pop();
        if (next === undefined) throw new Error("Everybody waits, and nobody for a time.");
        time = Math.max(time, next.at);
        next.wake();
        while ((wakeups.peek()?.at ?? Number.POSITIVE_INFINITY) <= time) wakeups.pop()?.wake();
      }
      await work;
    },
  };
}
