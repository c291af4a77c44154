/**
 * The runtime's own timers, taken before a test runner can replace them by fake ones: the virtual clock waits for the
 * event loop, whatever time a test sets.
 */
const native = {
  setImmediate: (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate,
  setTimeout: globalThis.setTimeout,
  now: globalThis.performance.now.bind(globalThis.performance),
};

/** Calls back after one turn of the event loop. */
export const nextTurn: (callback: () => void) => void = native.setImmediate ?? postMessageToSelf;

export function afterRealMs(ms: number, callback: () => void): void {
  native.setTimeout(callback, ms);
}

/** A turn for runtimes without `setImmediate`. */
function postMessageToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(null);
}

/** Turns of the event loop without activity before it counts as quiet: some streams take more than one to deliver. */
const QUIET_TURNS = 2;

/** How long a request may travel to an adapter unseen, in real milliseconds. */
const PATIENCE_MS = 4;

/** Detects when every party has done all that it can do without waiting for time to pass. */
export class Quiet {
  #busy = 0;
  #stirs = 0;
  #stirredAt = 0;
  #patient = 0;
  #ended = false;
  readonly #parked: (() => void)[] = [];

  get isBusy(): boolean {
    return this.#busy > 0 && !this.#ended;
  }

  /** Begins something that takes no time. */
  enter(): void {
    this.#busy++;
    this.stir();
  }

  leave(): void {
    this.#busy--;
    this.stir();
    if (this.#busy === 0) this.#resume();
  }

  /** From now on it is quiet, whatever is in flight. */
  end(): void {
    this.#ended = true;
    this.#resume();
  }

  stir(): void {
    this.#stirs++;
    if (this.#patient > 0) this.#stirredAt = native.now();
  }

  /** Requests now arrive over a network, where the emulator cannot see them: waits longer. */
  beginPatience(): void {
    this.#patient++;
  }

  endPatience(): void {
    this.#patient--;
  }

  /** Calls back when no request is in flight and there was no activity for a while. */
  await(callback: () => void): void {
    let seen = this.#stirs;
    let quietTurns = 0;
    const check = () => {
      if (this.isBusy) {
        this.#parked.push(check);
        return;
      }
      const patientMs = this.#patient > 0 ? this.#stirredAt + PATIENCE_MS - native.now() : 0;
      quietTurns = seen === this.#stirs && patientMs <= 0 ? quietTurns + 1 : 0;
      seen = this.#stirs;
      if (quietTurns >= QUIET_TURNS) callback();
      else if (patientMs > 0) afterRealMs(Math.ceil(patientMs), check);
      else nextTurn(check);
    };
    nextTurn(check);
  }

  #resume(): void {
    for (const check of this.#parked.splice(0)) check();
  }
}
