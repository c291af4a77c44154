/**
 * Whether a value is an error, also one of another realm: Jest, and Vitest with `vmThreads`, run code in a realm of its own, and the
 * errors of Node's modules and of `fetch` are of the first one.
 */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    // A proxy may throw when it is inspected.
    return false;
  }
}

/** The message of what was thrown, which may be no error. */
export function messageOfThrown(thrown: unknown): string {
  return isError(thrown) ? thrown.message : String(thrown);
}
