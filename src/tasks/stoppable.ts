/**
 * An iterable whose iteration can be left at any moment: leaving it aborts the signal that its generator works with,
 * also while the next value is being waited for. Each iteration starts anew.
 */
export function stoppable<Value>(
  generate: (signal: AbortSignal) => AsyncGenerator<Value, void, void>,
  callerSignal: AbortSignal | undefined,
): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController();
      const signals = callerSignal === undefined ? [] : [callerSignal];
      const values = generate(AbortSignal.any([controller.signal, ...signals]));
      const done = { done: true, value: undefined } as const;

      return {
        next: () =>
          values.next().catch((error: unknown) => {
            if (controller.signal.aborted) return done;
            throw error;
          }),
        async return() {
          controller.abort();
          await values.return().catch(() => {});
          return done;
        },
      };
    },
  };
}
