import { AbortCalls, callsBySignal } from "./abort-calls.js";
import { onAbort } from "./on-abort.js";

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
