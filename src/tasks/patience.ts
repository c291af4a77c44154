import { Aborter, onAbort } from "../time/abort.js";
import type { Clock } from "../time/clock.js";
import { startDeadline, whenOverdue } from "../time/deadline.js";
import type { Reading } from "./retrieve.js";

/** How far behind the end of a wait the answer of a last poll may come, in real milliseconds. */
export const GRACE_MS = 500;

/** Why a poll came to nothing: a wait that shared it has left it. */
export class PollAbandoned extends Error {
  override name = "PollAbandoned";
  override message = "The poll was left before its answer came.";
}

/** How long a wait goes on: until a time, in milliseconds since the epoch, or until it is aborted. */
interface Patience {
  notAfter: number;
  signal: AbortSignal | undefined;
}

/** Leaves a poll that stalls when the wait's time is over, also by a clock that others have moved meanwhile. */
export async function patiently(
  clock: Clock,
  { notAfter, signal }: Patience,
  poll: (patience: AbortSignal) => Promise<Reading>,
): Promise<Reading> {
  const controller = new Aborter();
  const abort = onAbort(signal, () => controller.abort(signal?.reason));
  const forget = whenOverdue(clock, notAfter, GRACE_MS, () => controller.abort(new PollAbandoned()));
  try {
    signal?.throwIfAborted();
    return await poll(controller.signal);
  } finally {
    abort.leave();
    forget();
  }
}

/** A poll of another wait as this one sees it: its own abort and its own patience end it, the other's don't concern it. */
export async function joined(
  poll: Promise<Reading>,
  timeoutMs: number,
  patience: AbortSignal,
): Promise<Reading> {
  const deadline = startDeadline(timeoutMs, patience);
  try {
    return await Promise.race([poll, deadline.ended]);
  } catch (error) {
    throw deadline.timedOut() ? new PollAbandoned() : error;
  } finally {
    deadline.clear();
  }
}
