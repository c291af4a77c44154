/** By what something is known again. Most of the time nobody asks, and then it isn't worked out. */
export type Sameness = () => string;

/** How many notes of one kind are kept. */
export const MOST_NOTES = 10_000;

/** What is remembered of requests, by what each is known when it is sent again. Beyond `MOST_NOTES`, the oldest are dropped. */
export class Notes<Note> {
  readonly #all: Map<string, Note>;

  constructor(data: Readonly<Record<string, Note>> = {}) {
    this.#all = new Map(Object.entries(data));
  }

  find(same: Sameness): Note | undefined {
    return this.#all.size === 0 ? undefined : this.#all.get(same());
  }

  keep(same: Sameness, note: Note): void {
    const name = same();
    // A note that is written anew becomes the latest.
    this.#all.delete(name);
    this.#all.set(name, note);
    for (const oldest of this.#all.keys()) {
      if (this.#all.size <= MOST_NOTES) return;
      this.#all.delete(oldest);
    }
  }

  drop(same: Sameness): void {
    if (this.#all.size > 0) this.#all.delete(same());
  }

  /** The same as plain data, as a snapshot holds it. */
  toJSON(): Record<string, Note> {
    return Object.fromEntries(this.#all);
  }
}
