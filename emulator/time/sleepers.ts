interface Sleep {
  wakeAt: number;
  /** Sleeps that end at the same time end in the order of their beginning. */
  readonly order: number;
  readonly end: (error?: Error) => void;
}

/** The pending sleeps of one clock. */
export class Sleepers {
  /** The next to end is the last. */
  #sleeps: Sleep[] = [];
  #order = 0;
  #closed: Error | undefined;

  /** When the next sleep ends; `Infinity` if none does. */
  get nextWakeAt(): number {
    return this.#sleeps.at(-1)?.wakeAt ?? Number.POSITIVE_INFINITY;
  }

  /** Sleeps until a time. Rejects with the signal's reason if it is aborted first, or when the clock is stopped. */
  sleep(wakeAt: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#closed !== undefined) throw this.#closed;
      const onAbort = () => {
        const index = this.#indexOf(sleep);
        if (this.#sleeps[index] === sleep) this.#sleeps.splice(index, 1);
        reject(signal?.reason);
      };
      const end = (error?: Error) => {
        signal?.removeEventListener("abort", onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const sleep = { wakeAt, order: this.#order++, end };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleeps.splice(this.#indexOf(sleep), 0, sleep);
    });
  }

  wakeUntil(time: number): void {
    while (this.nextWakeAt <= time) this.#sleeps.pop()?.end();
  }

  /** Keeps the remaining duration of every sleep when the clock is set to another time. */
  shiftBy(ms: number): void {
    for (const sleep of this.#sleeps) sleep.wakeAt += ms;
  }

  /** Fails every sleep, and each that is added from now on. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const { end } of this.#sleeps.splice(0).reverse()) end(reason);
  }

  /** The index at which the sleep is, or belongs. */
  #indexOf({ wakeAt, order }: Sleep): number {
    let [low, high] = [0, this.#sleeps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#sleeps[middle];
      const isLater = other !== undefined && (other.wakeAt - wakeAt || other.order - order) > 0;
      if (isLater) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
