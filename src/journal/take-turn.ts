import { onAbort } from "../time/abort.js";
import type { Journal } from "./journal.js";

/** By journal and key: the last who stands in line, settled once they have left it. */
const lines = new WeakMap<Journal, Map<string, Promise<void>>>();

/**
 * Lets the runs of one process on one key come one after the other, whatever their clients: each then finds what the
 * one before it has recorded. The answer ends the turn.
 */
export async function takeTurn(
  journal: Journal,
  key: string,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const line = lines.get(journal) ?? new Map<string, Promise<void>>();
  lines.set(journal, line);

  const before = line.get(key);
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const last = Promise.all([before, left]).then(() => {
    if (line.get(key) === last) line.delete(key);
  });
  line.set(key, last);

  try {
    await untilAborted(before, signal);
  } catch (reason) {
    leave();
    throw reason;
  }
  return leave;
}

function untilAborted(turn: Promise<void> | undefined, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = onAbort(signal, () => reject(signal?.reason));
    void Promise.resolve(turn).then(() => {
      abort.leave();
      resolve();
    });
  });
}
