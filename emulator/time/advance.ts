import { isoTime, LATEST_TIME } from "./clock.js";
import type { Sleepers } from "./sleepers.js";

/** What `advance` needs of a clock. */
export interface AdvancedClock {
  now(): number;
  /** Whether somebody is busy right now. */
  isBusy(): boolean;
  /** Moves the time, and wakes nobody. */
  moveTo(time: number): void;
  /** Resolves when everybody sleeps again. */
  settled(): Promise<void>;
}

/**
 * Makes the `advance` of a clock: calls that overlap come one after the other. The sum is rounded, as for a sleep, and not
 * `ms`: a product of decimals such as `4.001 * 1000` lies a hair above the whole number that was meant.
 */
export function createAdvance(clock: AdvancedClock, sleepers: Sleepers): (ms: number) => Promise<void> {
  let running = 0;
  let last = Promise.resolve();

  return (ms) => {
    checkAdvance(clock.now(), ms);
    if (running === 0 && !clock.isBusy() && sleepers.nextWakeAt > clock.now() + ms) {
      clock.moveTo(Math.ceil(clock.now() + ms));
      return Promise.resolve();
    }
    running++;
    const { moves } = sleepers;
    const advanced = last.then(() => advanceSlowly(clock, sleepers, ms, moves)).finally(() => running--);
    last = advanced.catch(() => {});
    return advanced;
  };
}

function checkAdvance(now: number, ms: number): void {
  if (ms >= 0 && now + ms <= LATEST_TIME) return;
  throw new RangeError(
    `Expected \`ms\` to be 0 or more and to end at ${isoTime(LATEST_TIME)} at the latest, got \`${ms}\``,
  );
}

/**
 * One wake-up after the other, so that each sleeper finds the time for which it asked. Where the clock is set meanwhile,
 * what is left was not meant for the time that it is then.
 */
async function advanceSlowly(
  clock: AdvancedClock,
  sleepers: Sleepers,
  ms: number,
  moves: number,
): Promise<void> {
  await clock.settled();
  // An earlier call may have advanced the time since this one was made.
  checkAdvance(clock.now(), ms);
  const target = Math.ceil(clock.now() + ms);
  while (sleepers.moves === moves && sleepers.nextWakeAt <= target) {
    clock.moveTo(Math.max(clock.now(), sleepers.nextWakeAt));
    sleepers.wakeUntil(clock.now());
    await clock.settled();
  }
  if (sleepers.moves !== moves) return;
  clock.moveTo(Math.max(clock.now(), target));
}
