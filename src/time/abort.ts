export class AbortCallback {
  declare readonly callback: () => void;
  declare readonly signal: AbortSignal | null;

  constructor(callback: () => void, signal: AbortSignal | null) {
    this.callback = callback;
    this.signal = signal;
  }

  /** Removes the callback. A second call does nothing. */
  remove(): void {
    const { signal } = this;
    const callbacks = signal && callbacksBySignal.get(signal);
    if (callbacks?.delete(this) && callbacks.size === 0) signal?.removeEventListener("abort", callAll);
  }
}

const NO_CALLBACK = new AbortCallback(() => {}, null);

const callbacksBySignal = new WeakMap<AbortSignal, Set<AbortCallback>>();

/**
 * Calls back when a signal is aborted, unless the callback is removed before. A signal has one listener for all its callbacks:
 * thousands of waits may share a signal, and an `EventTarget` searches all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): AbortCallback {
  if (signal === undefined) return NO_CALLBACK;
  const added = new AbortCallback(callback, signal);
  const callbacks = callbacksBySignal.get(signal) ?? new Set();
  if (callbacks.size === 0) callbacksBySignal.set(signal, callbacks);
  if (callbacks.size === 0 && !aborters.has(signal)) signal.addEventListener("abort", callAll);
  callbacks.add(added);
  return added;
}

/** Settles as the work does, unless `onAborted` rejects before: it is called when the signal is aborted meanwhile. */
export function untilAbort<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  onAborted: (reject: (reason: unknown) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = onAbort(signal, () => onAborted(reject));
    void work.then(resolve, reject).finally(() => abort.remove());
  });
}

function callAll(this: AbortSignal): void {
  const callbacks = callbacksBySignal.get(this) ?? new Set();
  this.removeEventListener("abort", callAll);
  // One callback may remove another, which is then not called.
  for (const each of [...callbacks]) if (callbacks.delete(each)) each.callback();
  if (callbacks.size === 0) callbacksBySignal.delete(this);
}

/** The signals of `Aborter`, which calls the callbacks itself. */
const aborters = new WeakSet<AbortSignal>();

/**
 * An `AbortController` whose signal needs no listener for `onAbort`: a listener takes more memory than the controller, and tens
 * of thousands of waits have one each. Other code can listen to it as to any signal.
 */
export class Aborter extends AbortController {
  constructor() {
    super();
    aborters.add(this.signal);
  }

  override abort(reason?: unknown): void {
    super.abort(reason);
    callAll.call(this.signal);
  }
}

/**
 * Whether an error is only the reason of an abort. An application may abort many runs with the failure of one as the reason,
 * so its `taskId` need not be that of this run.
 */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && Object.is(error, signal.reason);
}
