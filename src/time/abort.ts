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

/** Somebody who is called when a signal is aborted. */
export class AbortCall {
  /** `null` once it was called, or has left. */
  callback: (() => void) | null;
  before: AbortCall | null;
  after: AbortCall | null = null;
  readonly #calls: AbortCalls;

  constructor(callback: () => void, calls: AbortCalls, before: AbortCall | null) {
    this.callback = callback;
    this.before = before;
    this.#calls = calls;
  }

  /** It isn't called any more. Leaving twice does no harm. */
  leave(): void {
    if (this.callback === null) return;
    this.callback = null;
    this.#calls.remove(this);
  }
}

/** Has a signal call when it is aborted, or no more. */
type Listening = (listens: boolean) => void;

/**
 * Who is called when one signal is aborted. They form a chain: thousands may come and go, and a set would take more
 * room than the one who mostly is alone in it.
 */
export class AbortCalls {
  #last: AbortCall | null = null;
  readonly #listening: Listening;

  /** The signal is listened to only while somebody waits. */
  constructor(listening: Listening) {
    this.#listening = listening;
  }

  add(callback: () => void): AbortCall {
    const call = new AbortCall(callback, this, this.#last);
    if (this.#last === null) this.#listening(true);
    else this.#last.after = call;
    this.#last = call;
    return call;
  }

  remove(call: AbortCall): void {
    const { before, after } = call;
    // Who is still held somewhere must not hold all those who came after it.
    call.before = null;
    call.after = null;
    if (before !== null) before.after = after;
    if (after !== null) after.before = before;
    else this.#last = before;
    if (this.#last === null) this.#listening(false);
  }

  /** Calls everybody once, in the order in which they came. */
  callAll(): void {
    const callbacks: (() => void)[] = [];
    for (let call = this.#last; call !== null; call = call.before) {
      if (call.callback !== null) callbacks.push(call.callback);
      call.callback = null;
    }
    this.#last = null;
    this.#listening(false);
    for (const callback of callbacks.reverse()) callback();
  }
}

/** Of each signal for which somebody waits, or waited: taking entries out again costs more the more there are. */
export const callsBySignal: WeakMap<AbortSignal, AbortCalls> = new WeakMap<AbortSignal, AbortCalls>();

const needsNoListener = () => {};

/**
 * An `AbortController` that calls who waits by `onAbort` itself: its signal needs no listener, which would take more room
 * than all else of it. Others may listen to it as to any.
 */
export class Aborter extends AbortController {
  readonly #calls = new AbortCalls(needsNoListener);

  constructor() {
    super();
    callsBySignal.set(this.signal, this.#calls);
  }

  override abort(reason?: unknown): void {
    super.abort(reason);
    this.#calls.callAll();
  }

  /** Aborts together with a signal while the work lasts. Afterwards the signal, which may live longer, holds nothing. */
  async during<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
    const abort = () => this.abort(signal?.reason);
    if (signal?.aborted) abort();
    const call = onAbort(signal, abort);
    try {
      return await work();
    } finally {
      call.leave();
    }
  }
}

/**
 * Whether an error is nothing but the reason of an abort. Who aborts many runs for the failure of one makes that failure the
 * reason of all: then it says nothing of theirs.
 */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && Object.is(error, signal.reason);
}

/** The end of one HTTP attempt: by its time limit, or by its caller. */
export interface Deadline {
  /** Aborted when the attempt must end. */
  signal: AbortSignal;
  /** Rejects when the attempt must end, for what doesn't listen to the signal. */
  ended: Promise<never>;
  /** Whether it was the time limit that ended it. */
  timedOut(): boolean;
  /** Sets the time limit anew, counted from now. */
  restart(): void;
  /** Stops the time limit until it is set anew. */
  pause(): void;
  /** Forgets the time limit and the caller. */
  clear(): void;
}

/**
 * Limits one attempt in real time, whatever clock the client waits on: an answer that never comes must not depend on
 * a clock that somebody has to move.
 */
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let rejectEnded: (reason: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    rejectEnded = reject;
  });
  ended.catch(() => {});

  let timedOut = false;
  const end = (reason: unknown) => {
    clear();
    controller.abort(reason);
    rejectEnded(controller.signal.reason);
  };
  const clear = () => {
    clearTimeout(timer);
    callerAbort.leave();
  };
  const onTimeout = () => {
    timedOut = true;
    end(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError"));
  };
  const onCallerAbort = () => end(callerSignal?.reason);

  let timer = setTimeout(onTimeout, timeoutMs);
  const callerAbort = onAbort(callerSignal, onCallerAbort);
  if (callerSignal?.aborted) onCallerAbort();

  return {
    signal: controller.signal,
    ended,
    timedOut: () => timedOut,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    },
    pause: () => clearTimeout(timer),
    clear,
  };
}
