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

/**
 * Who is called when one signal is aborted. They form a chain: thousands may come and go, and a set would take more
 * room than the one who mostly is alone in it.
 */
export class AbortCalls {
  readonly #onEmpty: () => void;
  #last: AbortCall | null = null;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(callback: () => void): AbortCall {
    const call = new AbortCall(callback, this, this.#last);
    if (this.#last !== null) this.#last.after = call;
    this.#last = call;
    return call;
  }

  remove({ before, after }: AbortCall): void {
    if (before !== null) before.after = after;
    if (after !== null) after.before = before;
    else this.#last = before;
    if (this.#last === null) this.#onEmpty();
  }

  /** Calls everybody once, in the order in which they came. */
  callAll(): void {
    const callbacks: (() => void)[] = [];
    for (let call = this.#last; call !== null; call = call.before) {
      if (call.callback !== null) callbacks.push(call.callback);
      call.callback = null;
    }
    this.#last = null;
    for (const callback of callbacks.reverse()) callback();
  }
}

/** Of each signal for which somebody waits. */
export const callsBySignal: WeakMap<AbortSignal, AbortCalls> = new WeakMap<AbortSignal, AbortCalls>();
