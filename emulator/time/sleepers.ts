/** Somebody who sleeps until a time. */
export interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
  /** The time for which it waits never comes. */
  readonly fail: (reason: Error) => void;
}

interface Entry extends Sleeper {
  wakeAt: number;
  /** Who came first wakes first. */
  readonly order: number;
  /** Its place in the heap; `-1` once it is out. */
  place: number;
}

/** Who sleeps, as a heap: the next to wake is always at hand, however many there are. */
export class Sleepers {
  readonly #heap: Entry[] = [];
  #order = 0;
  #moves = 0;
  #end: Error | undefined;

  /** The earliest wake-up; `Infinity` where nobody waits for a time. */
  get nextWakeAt(): number {
    return this.#heap[0]?.wakeAt ?? Number.POSITIVE_INFINITY;
  }

  /** How often the clock was set to another time. */
  get moves(): number {
    return this.#moves;
  }

  /** Adds a sleeper. The answer takes it out again, before it was woken. */
  add({ wakeAt, wake, fail }: Sleeper): () => void {
    if (this.#end !== undefined) throw this.#end;
    const entry = { wakeAt, wake, fail, order: this.#order++, place: this.#heap.length };
    this.#heap.push(entry);
    this.#siftUp(entry.place);
    return () => this.#remove(entry);
  }

  /** Wakes everybody whose time has come, in order. */
  wakeUntil(time: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.wakeAt <= time; first = this.#heap[0]) {
      this.#remove(first);
      first.wake();
    }
  }

  /** The clock is set to another time: everybody has still as long to sleep as before. */
  moveBy(ms: number): void {
    this.#moves++;
    for (const entry of this.#heap) entry.wakeAt += ms;
  }

  /** Nobody wakes any more: who sleeps is told why, and so is who comes. */
  close(reason: Error): void {
    this.#end = reason;
    for (const entry of this.#heap.splice(0)) {
      entry.place = -1;
      entry.fail(reason);
    }
  }

  #remove(entry: Entry): void {
    const { place } = entry;
    if (place === -1) return;
    entry.place = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    last.place = place;
    this.#heap[place] = last;
    this.#siftUp(place);
    this.#siftDown(last.place);
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
    b.place = index;
    a.place = other;
  }
}
