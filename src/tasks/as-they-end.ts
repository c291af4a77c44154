import { onAbort } from "../time/abort.js";

/** Work that is done on items, a few at a time. */
export interface Bounded<Item, Result> {
  items: Iterable<Item> | AsyncIterable<Item>;
  /** How many items are worked on, or are done and not yet read. */
  concurrency: number;
  signal: AbortSignal;
  /** Must not reject. */
  work(item: Item, index: number): Promise<Result>;
}

/**
 * Yields the results as they end. What was not read yet takes up a place, so that a slow reader holds the work back
 * and nothing piles up. Items that can't be had end the iteration, once the work that was begun has been read.
 */
export async function* asTheyEnd<Item, Result>(
  bounded: Bounded<Item, Result>,
): AsyncGenerator<Result, void, void> {
  const { items, concurrency, signal, work } = bounded;
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const ended: { result: Result }[] = [];
  let begun = 0;
  let underWay = 0;
  let isAsking = false;
  let isExhausted = false;
  const failures: unknown[] = [];
  let stir = () => {};
  const abort = onAbort(signal, () => stir());

  try {
    for (;;) {
      signal.throwIfAborted();
      const next = ended.shift();
      void fill();
      if (next !== undefined) yield next.result;
      else if (!isExhausted || underWay > 0) await stirred();
      else if (failures.length === 0) return;
      else throw failures[0];
    }
  } finally {
    abort.leave();
    if (!isExhausted) void leaveSource(iterator);
  }

  /** Begins as much work as there is room for. */
  async function fill(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    try {
      while (!isExhausted && !signal.aborted && underWay + ended.length < concurrency) {
        const next = await iterator.next();
        if (next.done) isExhausted = true;
        else if (!signal.aborted) void begin(next.value);
      }
    } catch (error) {
      failures.push(error);
      isExhausted = true;
    }
    isAsking = false;
    stir();
  }

  async function begin(item: Item): Promise<void> {
    underWay++;
    const result = await work(item, begun++);
    underWay--;
    ended.push({ result });
    stir();
  }

  function stirred(): Promise<void> {
    return new Promise((resolve) => {
      stir = resolve;
    });
  }
}

/** A source that is left before its end may clean up, and is not waited for. */
async function leaveSource(iterator: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // What it throws now concerns nobody any more.
  }
}
