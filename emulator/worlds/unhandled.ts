type Listener = (reason: unknown) => void;

const EVENT = "unhandledRejection";

/**
 * Receives the rejections that a program does not handle, in place of the test runner. Returns a function that restores the
 * listeners, after the rejections up to now were received. Without effect in a browser.
 */
export function receiveUnhandled(listener: Listener): () => Promise<void> {
  const { process } = globalThis as { process?: NodeJS.Process };
  if (typeof process?.rawListeners !== "function") return async () => {};
  const others = process.rawListeners(EVENT) as Listener[];
  process.removeAllListeners(EVENT);
  process.on(EVENT, listener);
  return async () => {
    // Node reports them after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    process.off(EVENT, listener);
    for (const other of others) process.on(EVENT, other);
  };
}
