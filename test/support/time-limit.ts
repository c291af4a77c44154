import { onTestFinished } from "vitest";

/** A duration that no other timer has. Without a call of `pass`, the attempt times out after it. */
const LIMIT_MS = 25_113;

export interface TimeLimit {
  /** The client's `timeoutMs` option. */
  timeoutMs: number;
  /** Times out every attempt in flight. */
  pass(): void;
}

/**
 * A time limit that ends when the test calls `pass`, however slow the machine is. It replaces the real timers, which
 * limit attempts in every runtime. Other timers run unchanged.
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
