import { type AbortCall, AbortCalls, callsBySignal } from "./abort-calls.js";

const NO_CALL = { leave: () => {} };

/**
 * Calls back when a signal is aborted, unless it is left before. A signal has one listener however many wait for it:
 * thousands of waits may share a signal, and an `EventTarget` looks through all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): Pick<AbortCall, "leave"> {
  if (signal === undefined) return NO_CALL;
  const calls = callsBySignal.get(signal) ?? listen(signal);
  return calls.add(callback);
}

function listen(signal: AbortSignal): AbortCalls {
  const calls = new AbortCalls(() => forget(signal));
  callsBySignal.set(signal, calls);
  signal.addEventListener("abort", callAll);
  return calls;
}

function forget(signal: AbortSignal): void {
  callsBySignal.delete(signal);
  signal.removeEventListener("abort", callAll);
}

function callAll(this: AbortSignal): void {
  const calls = callsBySignal.get(this);
  forget(this);
  calls?.callAll();
}
