/**
 * The runtime's own timers, taken before a test runner can put fake ones in their place: the virtual clock waits for
 * real quiet, not for a test's idea of time.
 */
const native = {
  setImmediate: (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate,
  setTimeout: globalThis.setTimeout,
  now: globalThis.performance.now.bind(globalThis.performance),
};

/** Calls back once everything that can go on without waiting has gone on: after one turn of the event loop. */
export const nextTurn: (callback: () => void) => void = native.setImmediate ?? postTurn;

/** Calls back after this much real time. */
export function afterRealMs(ms: number, callback: () => void): void {
  native.setTimeout(callback, ms);
}

/** Real time, in milliseconds since whenever. */
export function realNow(): number {
  return native.now();
}

/** A turn where there is no `setImmediate`: a message to oneself. */
function postTurn(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(null);
}
