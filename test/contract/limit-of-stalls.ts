import { onTestFinished } from "vitest";
import type { Emulator } from "../../emulator/index.js";

/** A length that no other timer has; as long as that, it is also what ends a test in which nothing stalls. */
const LIMIT_MS = 25_113;

/** How long a request stalls, in real milliseconds, before it is given up: time would run away meanwhile, if nothing held it. */
const STALLED_FOR_MS = 10;

/**
 * A `timeoutMs` that is over soon after a request has stalled, and never before: what is answered late, because the
 * machine is slow, is not given up. It is made of the timers that an attempt is limited with, in every runtime.
 */
export function limitOfStalls(emulator: Emulator): number {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  const limits = new Map<unknown, () => void>();
  const startLimit = (callback: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = start(callback, ms, ...given);
    if (ms === LIMIT_MS) limits.set(timer, callback);
    return timer;
  };
  const stopLimit: typeof clearTimeout = (timer) => {
    limits.delete(timer);
    stop(timer);
  };
  const pass = () => {
    for (const callback of [...limits.values()]) callback();
  };

  Object.assign(globalThis, { setTimeout: startLimit, clearTimeout: stopLimit });
  const leave = emulator.onRequest(({ status }) => {
    if (status === null) start(pass, STALLED_FOR_MS);
  });
  onTestFinished(() => {
    leave();
    Object.assign(globalThis, { setTimeout: start, clearTimeout: stop });
  });
  return LIMIT_MS;
}
