import { onTestFinished } from "vitest";

/** A length that no other timer has; after so long a test ends in which nobody says that the time is over. */
const LIMIT_MS = 25_113;

export interface TimeLimit {
  /** What a client is given as its limit. */
  timeoutMs: number;
  /** The time of every attempt that is under way is over. */
  pass(): void;
}

/**
 * A time limit that is over when the test says so: however slow the machine is, no attempt meets it before. Limits are
 * kept in real time, so that this stands before the real timers, in every runtime; all others go on as they are.
 */
export function createTimeLimit(): TimeLimit {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  const underWay = new Map<unknown, () => void>();
  const startLimit = (callback: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = start(callback, ms, ...given);
    if (ms === LIMIT_MS) underWay.set(timer, callback);
    return timer;
  };
  const stopLimit: typeof clearTimeout = (timer) => {
    underWay.delete(timer);
    stop(timer);
  };
  Object.assign(globalThis, { setTimeout: startLimit, clearTimeout: stopLimit });
  onTestFinished(() => void Object.assign(globalThis, { setTimeout: start, clearTimeout: stop }));
  return {
    timeoutMs: LIMIT_MS,
    pass() {
      for (const callback of [...underWay.values()]) callback();
    },
  };
}
