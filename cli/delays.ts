import type { Clock, Pacer, PacerFactory } from "../src/index.js";
import { MemoryPacer } from "../src/rate-limit/memory-pacer.js";

/** A shorter delay, and a smaller change of its end, is not reported, in milliseconds. */
export const SHORTEST_DELAY_MS = 1000;

/**
 * A pacer that reports when the rate limit delays the command: with the time at which requests are expected to be sent again,
 * then with `null` when the next one is sent. The delays of polls are reported as well.
 */
export function createObservedPacer(onDelay: (until: Date | null) => void): PacerFactory {
  return (clock) => {
    const pacer = new MemoryPacer(clock);
    return {
      ...pacer,
      async admit(request, signal) {
        const admission = new AbortController();
        const dueAt = Math.max(clock.now(), request.dueBy ?? request.notBefore ?? 0);
        // The sleep rejects as soon as the request is sent.
        observe(pacer, clock, dueAt, onDelay, admission.signal).catch(() => {});
        return pacer.admit(request, signal).finally(() => {
          admission.abort();
          onDelay(null);
        });
      },
      report(response) {
        pacer.report(response);
        const { heldUntil } = pacer.rateLimit();
        if (response.heldForMs !== null && heldUntil !== null) onDelay(new Date(heldUntil));
      },
    };
  };
}

/** Reports each end of the delay of a request that is due, until the signal is aborted or the end is unknown. */
async function observe(
  pacer: Pacer,
  clock: Clock,
  dueAt: number,
  onDelay: (until: Date) => void,
  signal: AbortSignal,
): Promise<void> {
  let reportedAt: number | null = dueAt + SHORTEST_DELAY_MS;
  while (reportedAt !== null) {
    await clock.sleep(reportedAt - clock.now(), signal);
    const { heldUntil, resetAt } = pacer.rateLimit();
    const until = heldUntil ?? resetAt;
    if (until !== null && until > clock.now()) onDelay(new Date(until));
    reportedAt = until === null ? null : Math.max(until, clock.now()) + SHORTEST_DELAY_MS;
  }
}

export function delayText(until: Date): string {
  return `waiting for the rate limit until ${until.toTimeString().slice(0, 8)}`;
}
