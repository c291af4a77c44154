import { Sleepers } from "../../emulator/time/sleepers.js";
import type { Clock } from "../../src/time/clock.js";

/** Time that skips from one wake-up to the next. */
export interface VirtualTime extends Clock {
  /** Lets time pass until the work is done. */
  during(work: Promise<unknown>): Promise<void>;
}

/** When the time of every run begins. */
const START = Date.UTC(2026, 0, 1);

export function createVirtualTime(): VirtualTime {
  const sleepers = new Sleepers();
  let time = START;

  return {
    now: () => time,

    sleep: (ms, signal) => sleepers.sleep(time + Math.max(0, ms), signal),

    async during(work) {
      let isDone = false;
      work.finally(() => {
        isDone = true;
      });
      for (;;) {
        // One turn of the event loop: all code that is not asleep runs until it waits.
        await new Promise((resolve) => setImmediate(resolve));
        if (isDone) break;
        if (sleepers.nextWakeAt === Number.POSITIVE_INFINITY)
          throw new Error("All code waits, but nothing sleeps on the clock.");
        time = Math.max(time, sleepers.nextWakeAt);
        sleepers.wakeUntil(time);
      }
      await work;
    },
  };
}
