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
