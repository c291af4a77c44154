/** The platform's own: what has taken its place since is somebody's. */
const platformFetch = globalThis.fetch;

/**
 * The caller's `fetch`, or the global one: that is looked up at each request, so that a later replacement is seen. None
 * is called as a method of ours: a browser's own refuses that. Somebody's own gets a `Request` to look into, as most
 * clients hand it on, and beside it the signal, which costs as much as all the rest where a request has to follow it. One
 * that takes a `Request` and no more still has to learn from it when its answer is no longer wanted. The platform's own
 * would only make another request of it.
 */
export function lateFetch(given: typeof fetch | undefined): typeof fetch {
  // A request follows the signal that it was made with only while the request itself is referenced.
  const requests = new WeakMap<AbortSignal, Request>();
  return (input, init) => {
    const fetch = given ?? globalThis.fetch;
    if (fetch === platformFetch) return fetch(input, init);
    if (fetch.length === 1) {
      const request = new Request(input, init);
      if (init?.signal != null) requests.set(init.signal, request);
      return fetch(request);
    }
    if (input instanceof Request) return fetch(input, init);
    const { signal = null, ...request } = init ?? {};
    return fetch(new Request(input, request), { signal });
  };
}
