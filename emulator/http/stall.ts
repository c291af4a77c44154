import type { Core } from "../core/core.js";

/**
 * Waits until a stalled request ends. The adapter's `untilEnded` settles when the caller ends the request, or when the given
 * promise resolves, at a reset. Callers end a request in real time, so virtual time stands still until then.
 */
export async function stall(
  { clock, replaceListeners }: Core,
  untilEnded: (reset: Promise<void>) => Promise<void>,
  stopsTime = true,
): Promise<void> {
  let onReset = () => {};
  const reset = new Promise<void>((resolve) => {
    onReset = resolve;
  });
  replaceListeners.add(onReset);
  if (stopsTime) clock.pauseSkipping();
  try {
    await untilEnded(reset);
  } finally {
    if (stopsTime) clock.resumeSkipping();
    replaceListeners.delete(onReset);
  }
}
