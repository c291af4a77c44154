import { isoTime, LATEST_TIME } from "./clock.js";
import type { Sleepers } from "./sleepers.js";

/** The parts of a clock that `advance` needs. */
export interface AdvancedClock {
  now(): number;
  /** Whether a request is in flight. */
  isBusy(): boolean;
  /** Moves the time, and ends no sleep. */
  moveTo(time: number): void;
  /** Resolves when every party sleeps. */
  settled(): Promise<void>;
}

/**
 * Makes the `advance` of a clock. Calls that overlap run one after the other. The sum is rounded, as for a sleep, and not
 * `ms`: a product of decimals such as `4.001 * 1000` is slightly above the whole number that was meant.
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
 * Moves from one wake-up to the next, so that each sleeper sees the time for which it asked. Stops if the clock is set
 * meanwhile.
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
