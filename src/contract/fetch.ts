/**
 * What sends requests: the global `fetch`, or any function with its parameters and its result. Further properties, such as
 * `preconnect` in Bun, are not required.
 */
export type Fetch = (...request: Parameters<typeof globalThis.fetch>) => ReturnType<typeof globalThis.fetch>;
