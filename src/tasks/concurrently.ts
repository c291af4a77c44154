import { onAbort } from "../time/abort.js";

/**
 * Works on a few items at a time, and yields each result as soon as it exists. Unread results count towards `concurrency`, so
 * that a slow reader slows the work down. If the items throw, the iteration ends with that error, after the results of the work
 * that was begun. The work must not reject. Once `isStopped` returns true, no further item is read or begun.
 */
export async function* resultsOf<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: Item, index: number) => Promise<Result>,
  isStopped: () => boolean,
): AsyncGenerator<Result, void, void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const unread: { result: Result }[] = [];
  let begun = 0;
  let inProgress = 0;
  let isFilling = false;
  let isExhausted = false;
  const failures: unknown[] = [];
  let wake = () => {};
  const abort = onAbort(signal, () => wake());

  try {
    for (;;) {
      signal.throwIfAborted();
      const next = unread.shift();
      void fill();
      if (next !== undefined) yield next.result;
      else if ((!isExhausted && !isStopped()) || inProgress > 0)
        await new Promise<void>((resolve) => (wake = resolve));
      else if (failures.length === 0) return;
      else throw failures[0];
    }
  } finally {
    abort.remove();
    // A source that is not exhausted cleans up: the iteration does not wait for it, and ignores its errors.
    if (!isExhausted) (async () => iterator.return?.())().catch(() => {});
  }

  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (!isExhausted && !signal.aborted && !isStopped() && inProgress + unread.length < concurrency) {
        const next = await iterator.next();
        if (next.done) isExhausted = true;
        else if (!signal.aborted && !isStopped()) void begin(next.value);
      }
    } catch (error) {
      failures.push(error);
      isExhausted = true;
    }
    isFilling = false;
    wake();
  }

  async function begin(item: Item): Promise<void> {
    inProgress++;
    const result = await work(item, begun++);
    inProgress--;
    unread.push({ result });
    wake();
  }
}
