/**
 * Whether an error is nothing but the reason of an abort. Who aborts many runs for the failure of one makes that failure the
 * reason of all: then it says nothing of theirs.
 */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && Object.is(error, signal.reason);
}
