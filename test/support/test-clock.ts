import type { Clock } from "async-music";

export const START = Date.UTC(2026, 0, 1);

/** Turns of the event loop without a new sleep before time skips. */
const QUIET_TURNS = 3;

interface Sleeper {
  wakeAt: number;
  wake: () => void;
}

/** A clock that is independent of real time. */
export interface TestClock extends Clock {
  /** The start and duration of every sleep. */
  readonly sleeps: { at: number; ms: number }[];
  elapsed(): number;
  /** Stops time until the work is done. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Moves time forward, and wakes each sleeper at its own time. */
  advance(ms: number): Promise<void>;
  /** Moves time in one step, past all sleepers, as on a machine that was suspended. */
  jump(ms: number): void;
}

/** Time skips to the earliest wake-up when all code sleeps. With `skips: false`, only `advance` and `jump` move it. */
export function createTestClock({ skips = true } = {}): TestClock {
  const sleeps: { at: number; ms: number }[] = [];
  const sleepers = new Set<Sleeper>();
  let time = START;
  let busy = 0;
  let stirs = 0;
  let isLooking = false;

  return {
    sleeps,
    now: () => time,
    elapsed: () => time - START,

    sleep(ms, signal) {
      sleeps.push({ at: time, ms });
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const leave = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
        };
        const onAbort = () => {
          leave();
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          wakeAt: time + Math.max(0, ms),
          wake() {
            leave();
            resolve();
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.add(sleeper);
        stir();
      });
    },

    async during(work) {
      busy++;
      try {
        return await work;
      } finally {
        busy--;
        stir();
      }
    },

    async advance(ms) {
      const target = time + ms;
      await turns(QUIET_TURNS);
      for (let next = earliest(); next <= target; next = earliest()) {
        wakeUntil(next);
        await turns(QUIET_TURNS);
      }
      time = target;
    },

    jump: (ms) => wakeUntil(time + ms),
  };

  function stir(): void {
    stirs++;
    if (isLooking || !skips) return;
    isLooking = true;
    void look();
  }

  async function look(): Promise<void> {
    for (let quiet = 0, seen = stirs; quiet < QUIET_TURNS; ) {
      await turns(1);
      quiet = seen === stirs ? quiet + 1 : 0;
      seen = stirs;
    }
    isLooking = false;
    if (busy > 0 || sleepers.size === 0) return;
    wakeUntil(earliest());
    stir();
  }

  function earliest(): number {
    return Math.min(...[...sleepers].map(({ wakeAt }) => wakeAt));
  }

  function wakeUntil(until: number): void {
    time = Math.max(time, until);
    for (const sleeper of [...sleepers]) if (sleeper.wakeAt <= time) sleeper.wake();
  }
}

/** Waits for turns of the event loop, so that all code that does not sleep can run. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
