import { onAbort } from "../clock/on-abort.js";

/** A signal that follows another until a POST has left. */
export interface UntilSent {
  signal: AbortSignal;
  /** Called before each attempt: throws where the other is aborted already, and from then on follows it no more. */
  leave(): void;
  /** Called at the end. */
  unfollow(): void;
}

/** Lets an abort stop a POST that has not left, and leave one alone that has: its answer is still waited for. */
export function untilSent(signal: AbortSignal | undefined): UntilSent {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const following = onAbort(signal, abort);
  if (signal?.aborted) abort();
  return {
    signal: controller.signal,
    unfollow: () => following.leave(),
    leave() {
      signal?.throwIfAborted();
      following.leave();
    },
  };
}
