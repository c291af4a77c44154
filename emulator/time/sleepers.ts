import { Heap } from "./heap.js";

interface Entry {
  wakeAt: number;
  /** Sleeps that end at the same time end in the order of their beginning. */
  readonly order: number;
  /** Ends the sleep: with an error if one is given. */
  readonly end: (error?: Error) => void;
  isRemoved: boolean;
}

/** The heap is rebuilt once its removed entries outnumber the others by this. */
const MOST_REMOVED_EXCESS = 100;

/** The pending sleeps of one clock, the next to end first. */
export class Sleepers {
  readonly #heap = new Heap<Entry>(
    (one, other) => one.wakeAt < other.wakeAt || (one.wakeAt === other.wakeAt && one.order < other.order),
  );
  #order = 0;
  #removed = 0;
  #end: Error | undefined;

  /** When the next sleep ends; `Infinity` if none does. */
  get nextWakeAt(): number {
    return this.#first()?.wakeAt ?? Number.POSITIVE_INFINITY;
  }

  /** Sleeps until a time. Rejects with the signal's reason if it is aborted first, or when the clock is stopped. */
  sleep(wakeAt: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#end !== undefined) throw this.#end;
      const onAbort = () => {
        this.#remove(entry);
        reject(signal?.reason);
      };
      const end = (error?: Error) => {
        signal?.removeEventListener("abort", onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const entry = { wakeAt, order: this.#order++, end, isRemoved: false };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#heap.push(entry);
    });
  }

  /** Ends every sleep that is due, in order. */
  wakeUntil(time: number): void {
    for (let first = this.#first(); first !== undefined && first.wakeAt <= time; first = this.#first()) {
      this.#heap.pop();
      first.isRemoved = true;
      first.end();
    }
  }

  /** Keeps the remaining duration of every sleep when the clock is set to another time. */
  shiftBy(ms: number): void {
    for (const entry of this.#heap.items()) entry.wakeAt += ms;
  }

  /** Fails every sleep, and each that is added from now on. */
  close(reason: Error): void {
    this.#end = reason;
    for (const entry of this.#heap.drain()) {
      if (entry.isRemoved) continue;
      entry.isRemoved = true;
      entry.end(reason);
    }
  }

  #first(): Entry | undefined {
    let first = this.#heap.peek();
    for (; first?.isRemoved === true; first = this.#heap.peek()) {
      this.#heap.pop();
      this.#removed--;
    }
    return first;
  }

  #remove(entry: Entry): void {
    if (entry.isRemoved) return;
    entry.isRemoved = true;
    this.#removed++;
    if (2 * this.#removed <= this.#heap.size + MOST_REMOVED_EXCESS) return;
    for (const each of this.#heap.drain()) if (!each.isRemoved) this.#heap.push(each);
    this.#removed = 0;
  }
}
