import { LONGEST_CLEANUP_MS } from "../journal/slot.js";
import { onAbort } from "../time/abort.js";
import { within } from "../time/deadline.js";

/** Resolves when the work has ended, and at the latest one second after the stop: a database may not respond. The work must not reject. */
export function endedOrStopped(work: Promise<unknown>, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve();
    const limit = () => void within(LONGEST_CLEANUP_MS, () => work).catch(end);
    const abort = onAbort(stop, limit);
    if (stop.aborted) limit();
    void work.then(end).finally(() => abort.remove());
  });
}
