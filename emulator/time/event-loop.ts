/** Globals that fake timers replace. A browser has no `setImmediate`. */
interface Timers extends Pick<typeof globalThis, "setTimeout" | "clearTimeout" | "performance"> {
  readonly setImmediate?: (callback: () => void) => void;
}

/** The runtime's own function or object. The fake timers of Jest, Vitest and Sinon keep what they have replaced at their `clock`. */
function original<Name extends keyof Timers>(name: Name): Timers[Name] {
  const current: Timers[Name] = (globalThis as Timers)[name];
  return Object(Object(current).clock)[`_${name}`] ?? current;
}

const performance = original("performance");

/**
 * The runtime's own timers, whether Jest, Vitest or Sinon replaces them by fake ones before or after this, or `node:test` after it: the
 * virtual clock waits for the event loop, whatever time a test sets.
 */
const native = {
  setImmediate: original("setImmediate"),
  // Bound, since browsers refuse to call it as a method of another object.
  setTimeout: original("setTimeout").bind(globalThis),
  clearTimeout: original("clearTimeout").bind(globalThis),
  now: performance.now.bind(performance),
};

/** Calls back after one iteration ("turn") of the event loop. */
export const nextTurn: (callback: () => void) => void = native.setImmediate ?? postMessageToSelf;

/** Returns a function that cancels it. */
export function afterRealMs(ms: number, callback: () => void): () => void {
  const timer = native.setTimeout(callback, ms);
  return () => native.clearTimeout(timer);
}

/** `nextTurn` for runtimes without `setImmediate`. */
function postMessageToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(null);
}

/** Turns of the event loop without activity before the process counts as idle: some streams take more than one to deliver. */
const IDLE_TURNS = 2;

/**
 * How long a request can be on the network before an adapter receives it, in real milliseconds. In a browser, MSW's
 * service worker receives it first, in a process of its own.
 */
const NETWORK_DELAY_MS = "serviceWorker" in (globalThis.navigator ?? {}) ? 40 : 4;

/**
 * Detects when the emulator and its clients have nothing left to do until time passes: no work is between `begin` and
 * `end`, and for some turns of the event loop there was no `touch`.
 */
export class Activity {
  #busy = 0;
  #touches = 0;
  #touchedAt = 0;
  #networkUses = 0;
  #stopped = false;
  readonly #waiting: (() => void)[] = [];

  get isBusy(): boolean {
    return this.#busy > 0 && !this.#stopped;
  }

  /** Whether requests may be on the network. Those of other processes may never pause. */
  get isOnNetwork(): boolean {
    return this.#networkUses > 0;
  }

  /** Begins work that takes no virtual time, such as one request. */
  begin(): void {
    this.#busy++;
    this.touch();
  }

  end(): void {
    this.#busy--;
    this.touch();
    if (this.#busy === 0) this.#resume();
  }

  /** Waits for one turn of the event loop, as work. */
  async turn(): Promise<void> {
    this.begin();
    await new Promise<void>(nextTurn);
    this.end();
  }

  /** From now on `whenIdle` does not wait for work. */
  stop(): void {
    this.#stopped = true;
    this.#resume();
  }

  /** Records activity outside of `begin` and `end`. */
  touch(): void {
    this.#touches++;
    if (this.#networkUses > 0) this.#touchedAt = native.now();
  }

  /** Until `endNetworkUse`, `whenIdle` also waits for requests that may be on the network. */
  beginNetworkUse(): void {
    this.#networkUses++;
  }

  endNetworkUse(): void {
    this.#networkUses--;
  }

  whenIdle(callback: () => void): void {
    let seen = this.#touches;
    let idleTurns = 0;
    const check = () => {
      if (this.isBusy) {
        this.#waiting.push(check);
        return;
      }
      const networkMs = this.#networkUses > 0 ? this.#touchedAt + NETWORK_DELAY_MS - native.now() : 0;
      idleTurns = seen === this.#touches && networkMs <= 0 ? idleTurns + 1 : 0;
      seen = this.#touches;
      if (idleTurns >= IDLE_TURNS) callback();
      else if (networkMs > 0) afterRealMs(Math.ceil(networkMs), check);
      else nextTurn(check);
    };
    nextTurn(check);
  }

  #resume(): void {
    for (const check of this.#waiting.splice(0)) check();
  }
}
