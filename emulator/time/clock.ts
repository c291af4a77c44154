/** What the SDK takes as its clock. */
export interface Clock {
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds of this clock; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How an emulator's time passes: only when it is slept on or advanced, or with the wall. */
export type ClockMode = "virtual" | "real";

/** The time of an emulator, shared by the service and by the clients that were given it. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode;
  /**
   * Moves time forward, and wakes who sleeps on the way, in order, each at its own time. Resolves when all of them sleep
   * again or are done.
   *
   * @param ms - 0 or more. The time can't pass 9900-01-01T00:00:00Z.
   * @throws RangeError for anything else: time never goes back.
   */
  advance(ms: number): Promise<void>;
}

/** The same clock as the emulator itself holds it. */
export interface ServiceClock extends EmulatorClock {
  /** Somebody began something that takes no time on this clock: it must not skip until they `leave`. */
  enter(): void;
  leave(): void;
  /**
   * Somebody waits for an answer that never comes, and gives up in real time: until they `release`, time skips no
   * further by itself, and can still be advanced.
   */
  hold(): void;
  release(): void;
  /** Something happened that shows that a party is awake. */
  stir(): void;
  /** Requests now come by a way on which the emulator can't see them: wait for real quiet before skipping. */
  beginPatience(): void;
  endPatience(): void;
  /** Goes to the time of a snapshot, back or forth; who sleeps sleeps on for as long as was left. */
  set(time: number): void;
  /** When time begins after a reset: at the virtual start, or at what the wall says. */
  beginning(): number;
  /** Ends all skipping: who sleeps or would sleep is told so, and nothing is waited for any more. */
  stop(): void;
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

/** Why nobody sleeps on the clock of an emulator that is no more. */
export function clockStopped(): Error {
  return new Error("Failed to sleep: the emulator was disposed of, and its time with it");
}

/** Texts of the latest times: much has the same one, and none is written faster than it is looked up. */
const written = new Map<number, string>();
const MOST_WRITTEN = 1000;

/** A time as the wire has it. */
export function isoTime(time: number): string {
  const known = written.get(time);
  if (known !== undefined) return known;
  if (written.size >= MOST_WRITTEN) written.clear();
  const text = new Date(time).toISOString();
  written.set(time, text);
  return text;
}

/** The time that a text of the wire means; `NaN` where it means none. */
export function parseIsoTime(text: string): number {
  return Date.parse(text);
}
