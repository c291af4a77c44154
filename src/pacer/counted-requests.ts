import { LIMITS } from "../contract/limits.js";

/** How long an answer may take: so much earlier than its answer came may a request have been counted. */
const ON_ITS_WAY_MS = 500;

/** When this client's own requests were counted, for as long as a window that slides would count them. */
export class CountedRequests {
  readonly #answeredAt: number[] = [];

  note(now: number): void {
    this.most(now);
    this.#answeredAt.push(now);
  }

  /** How many a sliding window may count at most. */
  most(now: number): number {
    const forgotten = now - LIMITS.windowMs - ON_ITS_WAY_MS;
    while ((this.#answeredAt[0] ?? now) <= forgotten) this.#answeredAt.shift();
    return this.#answeredAt.length;
  }

  /** How many it counts at least. */
  fewest(now: number): number {
    return this.most(now) - this.regained(now, 2 * ON_ITS_WAY_MS);
  }

  /** How many it will have let go of after a time. */
  regained(now: number, ms: number): number {
    const forgotten = now + ms - LIMITS.windowMs - ON_ITS_WAY_MS;
    return this.#answeredAt.filter((at) => at <= forgotten).length;
  }
}
