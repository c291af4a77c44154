import type { Journal } from "./journal.js";

/** One journal per name, so that the runs of one process on one key take turns. An unused journal is released. */
export class SharedJournals {
  readonly #journals = new Map<string, WeakRef<Required<Journal>>>();
  readonly #collected = new FinalizationRegistry<string>((name) => {
    // By now the name may belong to a newer journal.
    if (this.#journals.get(name)?.deref() === undefined) this.#journals.delete(name);
  });

  get(name: string, create: () => Required<Journal>): Required<Journal> {
    const known = this.#journals.get(name)?.deref();
    if (known !== undefined) return known;
    const journal = create();
    this.#journals.set(name, new WeakRef(journal));
    this.#collected.register(journal, name);
    return journal;
  }
}
