import type { Clock } from "../../src/time/clock.js";
import { addWork } from "../../src/time/stopped-clock.js";
import { Activity } from "./event-loop.js";
import { Sleepers } from "./sleepers.js";

export type { Clock };

/** `"virtual"`: time passes only by sleeps and `advance`; `"real"`: it follows the system's clock. */
export type ClockMode = "virtual" | "real";

/** The clock of an emulator, which the service and its clients share. */
export interface EmulatorClock extends Clock {
  /** How time passes: the option `clock` of `createEmulator`. */
  readonly mode: ClockMode;
  /**
   * Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted first. A sleep beyond
   * 9900-01-01T00:00:00Z never ends. Rejects with a RangeError if `ms` is not a number.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Moves time forward, once code that is running has reached its next sleep. Sleeps that end on the way end in order, each
   * at its own time. Resolves when all code on this clock sleeps again or has finished. Code that waits for something else,
   * such as `setTimeout`, counts as asleep. On a port and with MSW, the time moves at once if no sleep ends on the way.
   *
   * @param ms - 0 or more. The time can't pass 9900-01-01T00:00:00Z.
   * @throws RangeError for anything else: time never goes back.
   */
  advance(ms: number): Promise<void>;
}

/** When every emulator's virtual time begins: 2026-01-01T00:00:00Z. */
export const VIRTUAL_START = Date.UTC(2026, 0, 1);

/**
 * The latest time that an emulator can be set or advanced to: 9900-01-01T00:00:00Z. Every time derived from it, such as
 * the end of the longest task (63 years), still has a year of four digits.
 */
export const LATEST_TIME = Date.UTC(9900, 0, 1);

/** The last millisecond with a year of four digits. */
export const END_OF_YEAR_9999 = Date.UTC(10_000, 0, 1) - 1;

export const DISPOSED =
  "The emulator was disposed, for example at the end of its test. Await all calls before that, or create a new emulator.";

/** The clock of an emulator. The modes differ in `Time`; sleeps, `advance` and `stop` work the same in both. */
export class ServiceClock {
  readonly mode: ClockMode;
  /** The clock for the clients of the emulator, and for its users. */
  readonly clients: EmulatorClock;
  /** While anything here is in progress, virtual time does not skip. */
  readonly activity = new Activity();
  readonly #sleepers = new Sleepers();
  readonly #time: Time;
  #pauses = 0;
  #timesSet = 0;
  #advancing = 0;
  #lastAdvance = Promise.resolve();

  constructor(mode: ClockMode) {
    this.mode = mode;
    this.#time =
      mode === "virtual"
        ? virtualTime(this.#sleepers, this.activity, () => this.#pauses > 0)
        : realTime(this.#sleepers);
    this.clients = {
      mode,
      now: () => this.now(),
      sleep: (ms, signal) => this.sleep(ms, signal),
      advance: (ms) => this.advance(ms),
    };
    addWork(this.clients, this.activity);
  }

  now(): number {
    return this.#time.now();
  }

  /** The time after a reset: `VIRTUAL_START`, or the system's. */
  startTime(): number {
    return this.#time.startTime();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (typeof ms !== "number" || Number.isNaN(ms))
      return Promise.reject(new RangeError(`\`ms\` must be a number; got ${shown(ms)}.`));
    const asleep = this.#sleepers.sleep(wakeTime(this.now(), ms), signal);
    this.activity.touch();
    this.#time.schedule();
    // Handles the rejection of a sleep that the caller does not await.
    asleep.catch(() => this.#time.schedule());
    return asleep;
  }

  async advance(ms: number): Promise<void> {
    this.pauseSkipping();
    try {
      await this.#advance(ms);
    } finally {
      this.resumeSkipping();
    }
  }

  /** Keeps virtual time from skipping until `resumeSkipping`: a caller waits in real time. `advance` still works. */
  pauseSkipping(): void {
    this.#pauses++;
  }

  resumeSkipping(): void {
    this.#pauses--;
    this.activity.touch();
    this.#time.schedule();
  }

  /** Sets the time, forward or back. Each sleep keeps its remaining duration. */
  set(to: number): void {
    this.#timesSet++;
    this.#sleepers.shiftBy(to - this.now());
    this.#time.set(to);
    this.#time.schedule();
  }

  /** Stops the clock. Every sleep rejects, now and later. */
  stop(): void {
    this.#sleepers.close(new Error(DISPOSED));
    this.activity.stop();
    this.#time.schedule();
  }

  /**
   * Calls that overlap run one after the other. The sum is rounded, as for a sleep, and not `ms`: a product of decimals
   * such as `4.001 * 1000` is slightly above the whole number that was meant.
   */
  async #advance(ms: number): Promise<void> {
    checkAdvance(this.now(), ms);
    const isIdle = this.#advancing === 0 && !this.activity.isBusy;
    if (this.activity.isOnNetwork && isIdle && this.#sleepers.nextWakeAt > this.now() + ms)
      return this.#moveTo(Math.ceil(this.now() + ms));
    this.#advancing++;
    const setBefore = this.#timesSet;
    const advanced = this.#lastAdvance
      .then(() => this.#advanceStepwise(ms, setBefore))
      .finally(() => this.#advancing--);
    this.#lastAdvance = advanced.catch(() => {});
    await advanced;
  }

  /** Moves from one wake-up to the next, so that each sleep ends at its own time. Stops if the clock is set meanwhile. */
  async #advanceStepwise(ms: number, setBefore: number): Promise<void> {
    await this.#untilIdle();
    // An earlier call may have advanced the time since this one was made.
    checkAdvance(this.now(), ms);
    const target = Math.ceil(this.now() + ms);
    while (this.#timesSet === setBefore && this.#sleepers.nextWakeAt <= target) {
      this.#moveTo(this.#sleepers.nextWakeAt);
      this.#sleepers.wakeUntil(this.now());
      await this.#untilIdle();
    }
    if (this.#timesSet === setBefore) this.#moveTo(target);
  }

  #untilIdle(): Promise<void> {
    return new Promise((resolve) => this.activity.whenIdle(resolve));
  }

  #moveTo(to: number): void {
    this.#time.moveTo(Math.max(this.now(), to));
    this.#time.schedule();
  }
}

interface Time {
  now(): number;
  set(time: number): void;
  /** Moves the time forward. */
  moveTo(time: number): void;
  /** Arranges the next wake-up. Must be called after a sleep is added or removed, and after the time is set or moved. */
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
  return { now: () => time, set, moveTo: set, schedule, startTime: () => VIRTUAL_START };
}

/** Timers can't be set further ahead than this. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Follows the system's clock, and can be ahead of it. It reads the global `Date` and `setTimeout` at each use, so that a
 * test runner's fake timers drive it.
 */
function realTime(sleepers: Sleepers): Time {
  let aheadMs = 0;
  /** By how much the system's clock was set back, until it has caught up. This clock continues from where it was. */
  let setBackMs = 0;
  let latestWall = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const now = () => {
    const wall = Date.now();
    const missingMs = latest - wall;
    if (wall < latestWall) {
      setBackMs = Math.max(setBackMs, missingMs - aheadMs);
    } else {
      latestWall = wall;
      setBackMs = 0;
      aheadMs = Math.max(aheadMs, missingMs);
    }
    latest = wall + aheadMs + setBackMs;
    return latest;
  };
  const set = (to: number) => {
    latestWall = Date.now();
    setBackMs = 0;
    aheadMs = to - latestWall;
    latest = to;
  };
  const moveTo = (to: number) => {
    aheadMs += to - latest;
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
  return { now, set, moveTo, schedule, startTime: () => Date.now() };
}

/** When a sleep ends: on a whole millisecond, never too early. A sleep beyond the latest time never ends. */
function wakeTime(now: number, ms: number): number {
  const wakeAt = ms > 0 ? Math.ceil(now + ms) : now;
  return wakeAt <= LATEST_TIME ? wakeAt : Number.POSITIVE_INFINITY;
}

function checkAdvance(now: number, ms: number): void {
  if (typeof ms === "number" && ms >= 0 && now + ms <= LATEST_TIME) return;
  throw new RangeError(
    `\`ms\` must be 0 or more and lead to ${isoTime(LATEST_TIME)} at the latest; got ${shown(ms)}.`,
  );
}

/** Of JavaScript code, which may pass a string. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
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
