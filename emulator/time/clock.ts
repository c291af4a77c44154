/** A clock as the SDK takes it. */
export interface Clock {
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds of this clock; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How an emulator's time passes: only when it is slept on or advanced, or with the system's clock. */
export type ClockMode = "virtual" | "real";

/** The clock of an emulator, which the service and its clients share. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode;
  /**
   * Moves time forward. Sleeps that end on the way end in order, each at its own time. Resolves when every party sleeps
   * again or has finished.
   *
   * @param ms - 0 or more. The time can't pass 9900-01-01T00:00:00Z.
   * @throws RangeError for anything else: time never goes back.
   */
  advance(ms: number): Promise<void>;
}

/** The clock with the operations that only the emulator uses. */
export interface ServiceClock extends EmulatorClock {
  /** Begins something that takes no time on this clock, which does not skip until `leave`. */
  enter(): void;
  leave(): void;
  /** Keeps the clock from skipping until `release`: a caller waits in real time. It can still be advanced. */
  hold(): void;
  release(): void;
  /** Records activity of a party. */
  stir(): void;
  /** Requests now arrive over a network, where the emulator cannot see them: waits longer before it skips. */
  beginPatience(): void;
  endPatience(): void;
  /** Sets the time, back or forth. What is left of each sleep stays. */
  set(time: number): void;
  /** The time after a reset: the virtual start, or the system's. */
  beginning(): number;
  /** Stops the clock. Every sleep rejects, now and later. */
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

export function clockStopped(): Error {
  return new Error("Failed to sleep: the emulator was disposed. Create a new one");
}

/** The latest strings: many things happen at the same time, and a lookup is faster than formatting. */
const formatted = new Map<number, string>();
const MOST_FORMATTED = 1000;

/** Formats a time as ISO 8601. */
export function isoTime(time: number): string {
  const known = formatted.get(time);
  if (known !== undefined) return known;
  if (formatted.size >= MOST_FORMATTED) formatted.clear();
  const text = new Date(time).toISOString();
  formatted.set(time, text);
  return text;
}

/** The time of an ISO 8601 string; `NaN` for any other. */
export function parseIsoTime(text: string): number {
  return Date.parse(text);
}
