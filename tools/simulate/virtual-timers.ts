import type { Clock } from "../../src/time/clock.js";

/**
 * Runs the global timers on a world's clock, since the SDK limits attempts in real time. The returned function restores
 * the real timers.
 */
export function useVirtualTimers(clock: Clock): () => void {
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const timers = new Map<number, AbortController>();
  let last = 0;

  const setVirtual = (callback: () => void, ms = 0): number => {
    const timer = ++last;
    const controller = new AbortController();
    timers.set(timer, controller);
    clock.sleep(ms, controller.signal).then(
      () => {
        timers.delete(timer);
        callback();
      },
      () => {},
    );
    return timer;
  };
  const clearVirtual = (timer: number | undefined): void => {
    timers.get(timer ?? 0)?.abort();
    timers.delete(timer ?? 0);
  };

  Object.assign(globalThis, { setTimeout: setVirtual, clearTimeout: clearVirtual });
  return () => {
    for (const controller of timers.values()) controller.abort();
    Object.assign(globalThis, { setTimeout: realSetTimeout, clearTimeout: realClearTimeout });
  };
}
