/**
 * An iterable that can be left at any time: leaving it aborts the signal of its generator, even while the next value is
 * awaited. Each iteration starts a new generator.
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
