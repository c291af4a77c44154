import { createAdvance } from "./advance.js";
import { clockStopped, type ServiceClock, VIRTUAL_START } from "./clock.js";
import { Quiet } from "./quiet.js";
import { Sleepers, sleepUntil, wakeTime } from "./sleepers.js";

/** A clock that moves only when a party sleeps on it: once all of them sleep, it skips to the earliest wake-up. */
export function createVirtualClock(): ServiceClock {
  const sleepers = new Sleepers();
  const quiet = new Quiet();
  let time = VIRTUAL_START;
  let skipping = false;
  let advancing = 0;
  let held = 0;

  const canSkip = () => held === 0 && advancing === 0 && sleepers.nextWakeAt !== Number.POSITIVE_INFINITY;

  /** Skips from one wake-up to the next while there are any. */
  const skip = () => {
    if (skipping || !canSkip()) return;
    skipping = true;
    quiet.await(() => {
      skipping = false;
      if (!canSkip()) return;
      time = Math.max(time, sleepers.nextWakeAt);
      sleepers.wakeUntil(time);
      quiet.stir();
      skip();
    });
  };

  const advance = createAdvance(
    {
      now: () => time,
      isBusy: () => quiet.isBusy,
      moveTo(to) {
        time = to;
      },
      settled: () => new Promise((resolve) => quiet.await(resolve)),
    },
    sleepers,
  );

  return {
    mode: "virtual",
    now: () => time,
    sleep(ms, signal) {
      const asleep = sleepUntil(sleepers, wakeTime(time, ms), signal);
      quiet.stir();
      skip();
      // A sleep that is not awaited must not become an unhandled rejection when the clock is stopped.
      asleep.catch(() => {});
      return asleep;
    },
    async advance(ms) {
      advancing++;
      try {
        await advance(ms);
      } finally {
        advancing--;
        quiet.stir();
        skip();
      }
    },
    enter: () => quiet.enter(),
    leave: () => quiet.leave(),
    hold() {
      held++;
    },
    release() {
      held--;
      quiet.stir();
      skip();
    },
    stir: () => quiet.stir(),
    beginPatience: () => quiet.beginPatience(),
    endPatience: () => quiet.endPatience(),
    set(to) {
      sleepers.moveBy(to - time);
      time = to;
    },
    beginning: () => VIRTUAL_START,
    stop() {
      sleepers.close(clockStopped());
      quiet.end();
    },
  };
}
