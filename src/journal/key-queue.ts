import { untilAbort } from "../time/abort.js";
import type { Journal } from "./journal.js";
import { notesOf } from "./process-notes.js";

/**
 * Queues the runs of one process on one key, even of several clients: each reads the entry of the one before it.
 * Resolves with a function that begins the next one.
 */
export async function waitForKey(
  journal: Journal,
  key: string,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const { queues } = notesOf(journal);
  const previous = queues.get(key);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const last = Promise.all([previous, released]).then(() => {
    if (queues.get(key) === last) queues.delete(key);
  });
  queues.set(key, last);

  try {
    signal?.throwIfAborted();
    if (previous !== undefined) await untilAbort(previous, signal, (reject) => reject(signal?.reason));
  } catch (reason) {
    release();
    throw reason;
  }
  return release;
}
