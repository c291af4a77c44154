import type { Clock } from "./clock.js";

/** Work in progress that takes no time of a clock. */
interface Work {
  begin(): void;
  end(): void;
}

/** The work of each virtual clock, which skips ahead while nothing is in progress. */
const works = new WeakMap<Pick<Clock, "now">, Work>();

export function addWork(clock: Clock, work: Work): void {
  works.set(clock, work);
}

/** Keeps a virtual clock where it is until a promise settles, such as that of code that is loaded. */
export async function withClockStopped<Result>(
  clock: Pick<Clock, "now">,
  promise: Promise<Result>,
): Promise<Result> {
  const work = works.get(clock);
  work?.begin();
  try {
    return await promise;
  } finally {
    work?.end();
  }
}
