/** A callback for the abort of a signal. */
export class AbortCall {
  declare readonly callback: () => void;
  declare readonly signal: AbortSignal | null;

  constructor(callback: () => void, signal: AbortSignal | null) {
    this.callback = callback;
    this.signal = signal;
  }

  /** Removes the callback. A second call does nothing. */
  leave(): void {
    const { signal } = this;
    const calls = signal && callsBySignal.get(signal);
    if (calls?.delete(this) && calls.size === 0) signal?.removeEventListener("abort", callAll);
  }
}

const NO_CALL = new AbortCall(() => {}, null);

const callsBySignal = new WeakMap<AbortSignal, Set<AbortCall>>();

/**
 * Calls back when a signal is aborted, unless the callback is removed before. A signal has one listener for all its callbacks:
 * thousands of waits may share a signal, and an `EventTarget` searches all its listeners at each change.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): AbortCall {
  if (signal === undefined) return NO_CALL;
  const call = new AbortCall(callback, signal);
  const calls = callsBySignal.get(signal) ?? new Set();
  if (calls.size === 0) callsBySignal.set(signal, calls);
  if (calls.size === 0 && !aborters.has(signal)) signal.addEventListener("abort", callAll);
  calls.add(call);
  return call;
}

function callAll(this: AbortSignal): void {
  const calls = callsBySignal.get(this) ?? new Set();
  callsBySignal.delete(this);
  this.removeEventListener("abort", callAll);
  for (const { callback } of calls) callback();
}

/** The signals whose controller calls back by itself. */
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
 * Whether an error is only the reason of an abort. An application may abort many runs with the failure of one as the reason: it
 * says nothing about the others.
 */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && Object.is(error, signal.reason);
}

export type Deadline = ReturnType<typeof startDeadline>;

/** Limits one attempt in real time, whatever the client's clock: a virtual clock may never move while a request is in flight. */
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  let timedOut = false;
  let end = (_reason: unknown) => {};
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => {
      clear();
      controller.abort(reason);
      reject(signal.reason);
    };
  });
  ended.catch(() => {});
  const onTimeout = () => {
    timedOut = true;
    end(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError"));
  };
  let timer = setTimeout(onTimeout, timeoutMs);
  const callerAbort = onAbort(callerSignal, () => end(callerSignal?.reason));
  const clear = () => {
    clearTimeout(timer);
    callerAbort.leave();
  };
  if (callerSignal?.aborted) end(callerSignal.reason);

  return {
    /** Aborted when the attempt must end. */
    signal,
    /** Rejects when the attempt must end, for code that ignores the signal. */
    ended,
    timedOut: () => timedOut,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    },
    /** Stops the time limit until `restart`. */
    pause: () => clearTimeout(timer),
    clear,
  };
}
