/** Somebody who is called when a signal is aborted, between those who came before and after. */
interface Entry {
  /** `null` for whoever was called, or has left. */
  callback: (() => void) | null;
  before: Entry | null;
  after: Entry | null;
}

/** Of each signal whoever came last. */
const lastBySignal = new WeakMap<AbortSignal, Entry>();

/**
 * Calls back when a signal is aborted; answers how to take that back. A signal has one listener however many wait for
 * it: thousands of waits may share a signal, and an `EventTarget` looks through all its listeners at each change. They
 * form a chain, since a set takes more room than the one who mostly is alone in it.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return leaveNothing;
  const before = lastBySignal.get(signal) ?? null;
  const entry: Entry = { callback, before, after: null };
  if (before === null) signal.addEventListener("abort", callAll);
  else before.after = entry;
  lastBySignal.set(signal, entry);
  return () => leave(signal, entry);
}

function leave(signal: AbortSignal, entry: Entry): void {
  if (entry.callback === null) return;
  entry.callback = null;
  const { before, after } = entry;
  if (before !== null) before.after = after;
  if (after !== null) after.before = before;
  else if (before !== null) lastBySignal.set(signal, before);
  else forget(signal);
}

function leaveNothing(): void {}

function forget(signal: AbortSignal): void {
  lastBySignal.delete(signal);
  signal.removeEventListener("abort", callAll);
}

function callAll(this: AbortSignal): void {
  const callbacks: (() => void)[] = [];
  for (let entry = lastBySignal.get(this) ?? null; entry !== null; entry = entry.before) {
    if (entry.callback !== null) callbacks.push(entry.callback);
    entry.callback = null;
  }
  forget(this);
  for (const callback of callbacks.reverse()) callback();
}
