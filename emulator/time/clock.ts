import type { Clock } from "../../src/time/clock.js";
import { addWork } from "../../src/time/hold.js";
import { Activity } from "./event-loop.js";
import { Sleepers } from "./sleepers.js";

export type { Clock };

/** `"virtual"`: time passes only by sleeps and `advance`; `"real"`: it follows the system's clock. */
export type ClockMode = "virtual" | "real";

/** The clock of an emulator, which the service and its clients share. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode;
  /**
   * Moves time forward. Sleeps that end on the way end in order, each at its own time. Resolves when all code on this clock
   * sleeps again or has finished.
   *
   * @param ms - 0 or more. The time can't pass 9900-01-01T00:00:00Z.
   * @throws RangeError for anything else: time never goes back.
   */
  advance(ms: number): Promise<void>;
}

export type ServiceClock = ReturnType<typeof createClock>;

/** When every emulator's virtual time begins: 2026-01-01T00:00:00Z. */
export const VIRTUAL_START = Date.UTC(2026, 0, 1);

/**
 * The latest time that an emulator can be set or advanced to: 9900-01-01T00:00:00Z. Every time derived from it, such as
 * the end of the longest task (63 years), still has a year of four digits.
 */
export const LATEST_TIME = Date.UTC(9900, 0, 1);

/** The last millisecond with a year of four digits. */
export const END_OF_YEAR_9999 = Date.UTC(10_000, 0, 1) - 1;

/** Creates the clock of an emulator. The modes differ in `Time`; sleeps, `advance` and `stop` work the same in both. */
export function createClock(mode: ClockMode) {
  const sleepers = new Sleepers();
  const activity = new Activity();
  let pauses = 0;
  const isPaused = () => pauses > 0;
  const time = mode === "virtual" ? virtualTime(sleepers, activity, isPaused) : realTime(sleepers);
  const { now, schedule } = time;

  const setTime = (to: number) => {
    time.set(to);
    schedule();
  };
  const pauseSkipping = () => {
    pauses++;
  };
  const resumeSkipping = () => {
    pauses--;
    activity.touch();
    schedule();
  };

  const moveTo = (to: number) => setTime(Math.max(now(), to));
  const idle = () => new Promise<void>((resolve) => activity.whenIdle(resolve));
  let timesSet = 0;
  let advancing = 0;
  let lastAdvance = Promise.resolve();

  // Calls that overlap run one after the other. The sum is rounded, as for a sleep, and not `ms`: a product of decimals
  // such as `4.001 * 1000` is slightly above the whole number that was meant.
  const advanceTime = async (ms: number) => {
    checkAdvance(now(), ms);
    const isIdle = advancing === 0 && !activity.isBusy;
    if (isIdle && sleepers.nextWakeAt > now() + ms) return moveTo(Math.ceil(now() + ms));
    advancing++;
    const setBefore = timesSet;
    const advanced = lastAdvance.then(() => advanceStepwise(ms, setBefore)).finally(() => advancing--);
    lastAdvance = advanced.catch(() => {});
    await advanced;
  };
  // Moves from one wake-up to the next, so that each sleep ends at its own time. Stops if the clock is set meanwhile.
  const advanceStepwise = async (ms: number, setBefore: number) => {
    await idle();
    // An earlier call may have advanced the time since this one was made.
    checkAdvance(now(), ms);
    const target = Math.ceil(now() + ms);
    while (timesSet === setBefore && sleepers.nextWakeAt <= target) {
      moveTo(sleepers.nextWakeAt);
      sleepers.wakeUntil(now());
      await idle();
    }
    if (timesSet === setBefore) moveTo(target);
  };

  const clients: EmulatorClock = {
    mode,
    now,
    sleep(ms, signal) {
      const asleep = sleepers.sleep(wakeTime(now(), ms), signal);
      activity.touch();
      schedule();
      // Handles the rejection of a sleep that the caller does not await.
      asleep.catch(schedule);
      return asleep;
    },
    async advance(ms) {
      pauseSkipping();
      await advanceTime(ms).finally(resumeSkipping);
    },
  };
  addWork(clients, activity);

  return {
    ...clients,
    /** The clock for the clients of the emulator, and for its users. */
    clients,
    /** While anything here is in progress, virtual time does not skip. */
    activity,
    /** Keeps virtual time from skipping until `resumeSkipping`: a caller waits in real time. `advance` still works. */
    pauseSkipping,
    resumeSkipping,
    /** Sets the time, forward or back. Each sleep keeps its remaining duration. */
    set(to: number): void {
      timesSet++;
      sleepers.shiftBy(to - now());
      setTime(to);
    },
    /** The time after a reset: `VIRTUAL_START`, or the system's. */
    startTime: time.startTime,
    /** Stops the clock. Every sleep rejects, now and later. */
    stop(): void {
      sleepers.close(new Error("The emulator was disposed, and its clock with it. Create a new emulator."));
      activity.stop();
      schedule();
    },
  };
}

interface Time {
  now(): number;
  set(time: number): void;
  /** Arranges the next wake-up. Must be called after a sleep is added or removed, and after the time is set. */
  schedule(): void;
  startTime(): number;
}

/** Skips to the next wake-up whenever nothing is in progress, and otherwise stands still. */
function virtualTime(sleepers: Sleepers, activity: Activity, isHeld: () => boolean): Time {
  let time = VIRTUAL_START;
  let skipping = false;
  const canSkip = () => !isHeld() && sleepers.nextWakeAt !== Number.POSITIVE_INFINITY;
  const schedule = () => {
    if (skipping || !canSkip()) return;
    skipping = true;
    activity.whenIdle(() => {
      skipping = false;
      if (!canSkip()) return;
      time = Math.max(time, sleepers.nextWakeAt);
      sleepers.wakeUntil(time);
      activity.touch();
      schedule();
    });
  };
  const set = (to: number) => {
    time = to;
  };
  return { now: () => time, set, schedule, startTime: () => VIRTUAL_START };
}

/** Timers can't be set further ahead than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Follows the system's clock, and can be ahead of it. It reads the global `Date` and `setTimeout` at each use, so that a
 * test runner's fake timers drive it.
 */
function realTime(sleepers: Sleepers): Time {
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
  const set = (to: number) => {
    aheadMs = to - Date.now();
    latest = to;
  };
  const schedule = () => {
    clearTimeout(timer);
    const waitMs = sleepers.nextWakeAt - now();
    if (waitMs === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(wake, Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS));
  };
  const wake = () => {
    sleepers.wakeUntil(now());
    schedule();
  };
  return { now, set, schedule, startTime: () => Date.now() };
}

/** When a sleep ends: on a whole millisecond, never too early. A sleep beyond the latest time never ends. */
function wakeTime(now: number, ms: number): number {
  const wakeAt = ms > 0 ? Math.ceil(now + ms) : now;
  return wakeAt <= LATEST_TIME ? wakeAt : Number.POSITIVE_INFINITY;
}

function checkAdvance(now: number, ms: number): void {
  if (ms >= 0 && now + ms <= LATEST_TIME) return;
  throw new RangeError(
    `\`ms\` must be 0 or more and lead to ${isoTime(LATEST_TIME)} at the latest; got ${ms}.`,
  );
}

export const isoTime = remembering((time) => new Date(time).toISOString());

/** The time as a `Date` header has it. */
const httpSecond = remembering((seconds) => new Date(seconds * 1000).toUTCString());
export const httpDate = (time: number): string => httpSecond(Math.floor(time / 1000));

/**
 * Writes each of the last two times once: requests that arrive together have the same time, and name when their task was
 * created.
 */
function remembering(write: (time: number) => string): (time: number) => string {
  let last = { time: Number.NaN, text: "" };
  let earlier = last;
  return (time) => {
    if (time === last.time) return last.text;
    if (time === earlier.time) return earlier.text;
    earlier = last;
    last = { time, text: write(time) };
    return last.text;
  };
}

export function parseIsoTime(text: string): number {
  return Date.parse(text);
}
