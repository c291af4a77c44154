import type { PacerFactory } from "../index.js";
import { createMemoryPacer } from "../rate-limit/memory-pacer.js";

/** A shorter delay is not reported, in milliseconds. */
const REPORTED_DELAY_MS = 1000;

/** Observes whether the rate limit delays the requests of a command. */
export interface Delays {
  /** The pacer of the command's client. */
  readonly pacer: PacerFactory;
  /**
   * Called when a request has been due for a second and is not sent, with the time at which requests are expected to be
   * sent again, and with `null` when it is sent.
   */
  onDelay(until: Date | null): void;
}

export function createDelays(): Delays {
  const delays: Delays = {
    onDelay() {},

    pacer(clock) {
      const pacer = createMemoryPacer(clock);

      const observe = async (dueAt: number, signal: AbortSignal) => {
        let reportAt: number | null = dueAt + REPORTED_DELAY_MS;
        while (reportAt !== null) {
          await clock.sleep(reportAt - clock.now(), signal);
          const { heldUntil, resetAt } = pacer.rateLimit();
          const until = heldUntil ?? resetAt;
          if (until !== null && until > clock.now()) delays.onDelay(new Date(until));
          reportAt = until === null ? null : Math.max(until, clock.now()) + REPORTED_DELAY_MS;
        }
      };

      return {
        ...pacer,
        async admit(request, signal) {
          const admission = new AbortController();
          const dueAt = Math.max(clock.now(), request.dueBy ?? request.notBefore ?? 0);
          // The sleep rejects as soon as the request is sent.
          observe(dueAt, admission.signal).catch(() => {});
          try {
            return await pacer.admit(request, signal);
          } finally {
            admission.abort();
            delays.onDelay(null);
          }
        },
      };
    },
  };
  return delays;
}
