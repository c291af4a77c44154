/** Somebody who sleeps until a time. */
export interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

interface Entry extends Sleeper {
  /** Who came first wakes first. */
  readonly order: number;
  gone: boolean;
}

/** Who sleeps, as a heap: the next to wake is always at hand, however many there are. */
export class Sleepers {
  readonly #heap: Entry[] = [];
  #order = 0;

  /** The earliest wake-up; `Infinity` where nobody waits for a time. */
  get nextWakeAt(): number {
    this.#dropGone();
    return this.#heap[0]?.wakeAt ?? Number.POSITIVE_INFINITY;
  }

  /** Adds a sleeper. The answer takes it out again, before it was woken. */
  add({ wakeAt, wake }: Sleeper): () => void {
    const entry = { wakeAt, wake, order: this.#order++, gone: false };
    this.#heap.push(entry);
    this.#siftUp(this.#heap.length - 1);
    return () => {
      entry.gone = true;
    };
  }

  /** Wakes everybody whose time has come, in order. */
  wakeUntil(time: number): void {
    const due: Entry[] = [];
    while (this.nextWakeAt <= time) {
      const entry = this.#pop();
      if (entry !== undefined) due.push(entry);
    }
    for (const entry of due) {
      if (entry.gone) continue;
      entry.gone = true;
      entry.wake();
    }
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #dropGone(): void {
    while (this.#heap[0]?.gone) this.#pop();
  }

  #pop(): Entry | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#siftDown(0);
    }
    return first;
  }

  #siftUp(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #siftDown(start: number): void {
    let index = start;
    for (;;) {
      let first = index;
      for (const child of [2 * index + 1, 2 * index + 2]) if (this.#isBefore(child, first)) first = child;
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #isBefore(index: number, other: number): boolean {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.wakeAt < b.wakeAt || (a.wakeAt === b.wakeAt && a.order < b.order);
  }

  #swap(index: number, other: number): void {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[index] = b;
    this.#heap[other] = a;
  }
}
