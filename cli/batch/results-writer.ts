import type { Redactor } from "../../src/errors/redactor.js";
import { type Item, writeResults } from "./results.js";

/** How many times `results.jsonl` is written while a batch runs. */
const WRITES = 100;

/** Keeps `results.jsonl` nearly up to date, so that the next command after a crash reads few tasks again. */
export class ResultsWriter {
  readonly #out: string;
  readonly #items: readonly Item[];
  readonly #redactor: Redactor;
  #changes = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(out: string, items: readonly Item[], redactor: Redactor) {
    this.#out = out;
    this.#items = items;
    this.#redactor = redactor;
  }

  /** A result has changed. */
  changed(): void {
    if (++this.#changes < this.#items.length / WRITES) return;
    // The last write reports its errors.
    void this.write().catch(() => {});
  }

  /** Writes the file after all earlier writes. */
  write(): Promise<unknown> {
    this.#changes = 0;
    const write = () => writeResults(this.#out, this.#items, this.#redactor);
    this.#last = this.#last.then(write, write);
    return this.#last;
  }
}
