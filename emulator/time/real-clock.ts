import { createAdvance } from "./advance.js";
import { clockStopped, type ServiceClock } from "./clock.js";
import { Quiet } from "./quiet.js";
import { Sleepers, sleepUntil, wakeTime } from "./sleepers.js";

/** Timers can't be set further ahead than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A clock that follows the system's, and can be ahead of it. It reads the global `Date` and `setTimeout` at each use, so
 * that a test runner's fake timers drive it.
 */
export function createRealClock(): ServiceClock {
  const sleepers = new Sleepers();
  const quiet = new Quiet();
  let aheadMs = 0;
  let latest = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const now = () => {
    const wall = Date.now();
    // If the system's clock is set back, this one continues from where it was.
    aheadMs = Math.max(aheadMs, latest - wall);
    latest = wall + aheadMs;
    return latest;
  };

  /** Sets the one timer to the earliest wake-up. */
  const arm = () => {
    clearTimeout(timer);
    timer = undefined;
    const left = sleepers.nextWakeAt - now();
    if (left === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(ring, Math.min(Math.max(left, 0), LONGEST_TIMER_MS));
  };
  const ring = () => {
    sleepers.wakeUntil(now());
    arm();
  };

  const set = (to: number) => {
    sleepers.moveBy(to - now());
    aheadMs = to - Date.now();
    latest = to;
    arm();
  };

  const advance = createAdvance(
    {
      now,
      isBusy: () => quiet.isBusy,
      moveTo(to) {
        aheadMs += Math.max(0, to - now());
        arm();
      },
      settled: () => new Promise((resolve) => quiet.await(resolve)),
    },
    sleepers,
  );

  return {
    mode: "real",
    now,
    sleep(ms, signal) {
      const asleep = sleepUntil(sleepers, wakeTime(now(), ms), signal);
      quiet.stir();
      arm();
      asleep.catch(arm);
      return asleep;
    },
    async advance(ms) {
      await advance(ms);
    },
    enter: () => quiet.enter(),
    leave: () => quiet.leave(),
    hold() {},
    release() {},
    stir: () => quiet.stir(),
    beginPatience() {},
    endPatience() {},
    set,
    beginning: () => Date.now(),
    stop() {
      clearTimeout(timer);
      sleepers.close(clockStopped());
      quiet.end();
    },
  };
}
