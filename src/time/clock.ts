/** Where the client gets its time from: the system's clock by default, the emulator's in tests. */
export interface Clock {
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
