const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted; answers how to take that back. A signal has one listener however many wait for
 * it: thousands of waits may share a signal, and an `EventTarget` looks through all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  const callbacks = callbacksBySignal.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) forget(signal);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  callbacksBySignal.set(signal, callbacks);
  signal.addEventListener("abort", callAll);
  return callbacks;
}

function forget(signal: AbortSignal): void {
  callbacksBySignal.delete(signal);
  signal.removeEventListener("abort", callAll);
}

function callAll(this: AbortSignal): void {
  const callbacks = callbacksBySignal.get(this) ?? [];
  forget(this);
  for (const callback of [...callbacks]) callback();
}
