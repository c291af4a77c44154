/**
 * The runtime's own timers, taken before a test runner can replace them by fake ones: the virtual clock waits for the
 * event loop, whatever time a test sets.
 */
const native = {
  setImmediate: (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate,
  setTimeout: globalThis.setTimeout,
  now: globalThis.performance.now.bind(globalThis.performance),
};

/** Calls back after one turn of the event loop. */
export const nextTurn: (callback: () => void) => void = native.setImmediate ?? postMessageToSelf;

export function afterRealMs(ms: number, callback: () => void): void {
  native.setTimeout(callback, ms);
}

/** Real time in milliseconds; only differences have a meaning. */
export function realNow(): number {
  return native.now();
}

/** A turn for runtimes without `setImmediate`. */
function postMessageToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(null);
}
