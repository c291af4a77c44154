import type { Clock } from "async-music";

/** A signal that is aborted after so many milliseconds of a test's clock. */
export function abortedAfter(clock: Clock, ms: number, reason: unknown = "left"): AbortSignal {
  const controller = new AbortController();
  void clock.sleep(ms).then(() => controller.abort(reason));
  return controller.signal;
}
