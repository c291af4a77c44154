import { AbortCalls, callsBySignal } from "./abort-calls.js";

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
}
