import { type AbortCall, AbortCalls, callsBySignal } from "./abort-calls.js";

const NO_CALL = { leave: () => {} };

/**
 * Calls back when a signal is aborted, unless it is left before. A signal has one listener however many wait for it:
 * thousands of waits may share a signal, and an `EventTarget` looks through all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): Pick<AbortCall, "leave"> {
  if (signal === undefined) return NO_CALL;
  const calls = callsBySignal.get(signal) ?? callsOf(signal);
  return calls.add(callback);
}

function callsOf(signal: AbortSignal): AbortCalls {
  const calls = new AbortCalls((listens) => {
    if (listens) signal.addEventListener("abort", callAll);
    else signal.removeEventListener("abort", callAll);
  });
  callsBySignal.set(signal, calls);
  return calls;
}

function callAll(this: AbortSignal): void {
  callsBySignal.get(this)?.callAll();
}
