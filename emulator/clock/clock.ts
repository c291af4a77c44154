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
   * @param ms - 0 or more.
   * @throws RangeError for anything else: time never goes back.
   */
  advance(ms: number): Promise<void>;
}

/** The same clock as the emulator itself holds it. */
export interface ServiceClock extends EmulatorClock {
  /** Somebody began something that takes no time on this clock: it must not skip until they `leave`. */
  enter(): void;
  leave(): void;
  /** Requests now come by a way on which the emulator can't see them: wait for real quiet before skipping. */
  beginPatience(): void;
  endPatience(): void;
  /** Goes to the time of a snapshot, back or forth. */
  set(time: number): void;
  /** When time begins after a reset: at the virtual start, or at what the wall says. */
  beginning(): number;
  /** Ends all skipping; who sleeps, sleeps for ever. */
  stop(): void;
}

/** When every emulator's virtual time begins: 2026-01-01T00:00:00Z. */
export const VIRTUAL_START = Date.UTC(2026, 0, 1);

/** A time as the wire has it. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** The time that a text of the wire means; `NaN` where it means none. */
export function parseIsoTime(text: string): number {
  return Date.parse(text);
}
