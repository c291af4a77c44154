/** A Request to which nothing refers is collected, and then Node never aborts its signal. */
const kept = new Set<Request>();

/** Rejects, as `fetch` does, when the request is aborted. */
export function aborted(request: Request): Promise<never> {
  const { signal } = request;
  kept.add(request);
  return new Promise((_, reject) => {
    const onAbort = () => {
      kept.delete(request);
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
