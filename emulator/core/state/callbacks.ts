/** Callbacks for one event. A `Set` adds in constant time; an `EventTarget` compares each new listener with all others. */
export class Callbacks {
  readonly #callbacks = new Set<() => void>();

  get size(): number {
    return this.#callbacks.size;
  }

  /** Adds a callback, which is called once. Returns a function that removes it. */
  add(callback: () => void): () => void {
    const entry = () => callback();
    this.#callbacks.add(entry);
    return () => void this.#callbacks.delete(entry);
  }

  callAll(): void {
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback();
  }
}
