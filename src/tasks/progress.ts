import { AsyncMusicError } from "../errors/base.js";
import type { Context } from "../http/context.js";
import { dateAt } from "../time/date.js";

/** The progress of a batch. */
export interface RunAllProgress {
  /** How many requests there are; `null` for an iterable of unknown length. */
  total: number | null;
  /** How many have a task, finished or not. */
  submitted: number;
  /** How many have a result. */
  succeeded: number;
  /** How many have failed, submitted or not. */
  failed: number;
  /**
   * When requests of the batch are expected to be sent again, by the client's clock, while the rate limit delays its
   * submissions or a 429 pauses all its requests; otherwise `null`. There is no call at that time: compare it with the
   * current time.
   */
  waitingUntil: Date | null;
}

/** A smaller change of the end of a delay is not reported, in milliseconds. */
const REPORTED_CHANGE_MS = 1000;

/** Reports the progress of a batch. What the callback throws is thrown at the end, so that no result is lost. */
export function createProgress(
  requests: object,
  onProgress: (progress: RunAllProgress) => void,
  { clock, redactor }: Pick<Context, "clock" | "redactor">,
) {
  const total = Array.isArray(requests) ? requests.length : requests instanceof Set ? requests.size : null;
  const progress = { total, submitted: 0, succeeded: 0, failed: 0 };
  let delayedItems = 0;
  let delayedUntil = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let reportedUntil = Number.NEGATIVE_INFINITY;
  let thrown: { cause: unknown } | null = null;

  // `onProgress` may be async: it is not awaited, and may reject.
  const report = async () => {
    if (thrown !== null) return;
    try {
      const until = delayedItems > 0 ? Math.max(delayedUntil, pausedUntil) : pausedUntil;
      await onProgress({ ...progress, waitingUntil: until > clock.now() ? dateAt(until) : null });
    } catch (error) {
      thrown ??= { cause: redactor.cause(error) };
    }
  };

  const reportDelay = (until: number) => {
    if (until < reportedUntil + REPORTED_CHANGE_MS) return;
    reportedUntil = until;
    void report();
  };

  return {
    begin() {
      let isSubmitted = false;
      let isDelayed = false;
      const submit = () => {
        progress.submitted += isSubmitted ? 0 : 1;
        isSubmitted = true;
      };
      return {
        /** The rate limit delays its submission until a time in milliseconds since the epoch; `null`: no longer. */
        delayed(until: number | null) {
          delayedItems += Number(until !== null) - Number(isDelayed);
          isDelayed = until !== null;
          if (delayedItems === 0) delayedUntil = reportedUntil = Number.NEGATIVE_INFINITY;
          if (until === null) return;
          delayedUntil = Math.max(delayedUntil, until);
          reportDelay(until);
        },
        submitted() {
          submit();
          void report();
        },
        succeeded() {
          submit();
          progress.succeeded++;
          void report();
        },
        failed(error: unknown) {
          if (error instanceof AsyncMusicError && error.taskId !== null) submit();
          progress.failed++;
          void report();
        },
      };
    },
    /** A 429 pauses all requests until a time in milliseconds since the epoch. */
    paused(until: number) {
      pausedUntil = Math.max(pausedUntil, until);
      reportDelay(until);
    },
    /** @throws AsyncMusicError when the callback has thrown. */
    end() {
      if (thrown !== null)
        throw new AsyncMusicError(
          {
            what: "Failed to report the progress",
            why: "`onProgress` threw; see `cause`",
            facts: ["All runs have ended."],
          },
          thrown,
        );
    },
  };
}
