/** How far back is remembered, in milliseconds: a window. */
const MEMORY_MS = 60_000;

/** How many requests of a kind leave, learned from those that left. */
export class Demand {
  #perMs = 0;
  #seenAt = 0;

  note(now: number): void {
    this.#perMs = this.#perMs * Math.exp(-(now - this.#seenAt) / MEMORY_MS) + 1 / MEMORY_MS;
    this.#seenAt = now;
  }

  /** How many to expect within a time from now. */
  within(now: number, ms: number): number {
    return this.#perMs * Math.exp(-(now - this.#seenAt) / MEMORY_MS) * ms;
  }
}
