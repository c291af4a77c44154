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

  /** How many it will count for a request that leaves now, since all had been counted when their answers came. */
  current(now: number): number {
    return this.most(now) - this.regained(now, ON_ITS_WAY_MS);
  }

  /** When it lets go of the next of those. */
  nextRegain(now: number): number {
    const next = this.#answeredAt.find((at) => at > now - LIMITS.windowMs);
    return (next ?? Number.POSITIVE_INFINITY) + LIMITS.windowMs;
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

  /** Whether a window that slides would have spent so many: it still counts what left in the last one. */
  explain(now: number, spent: number, unanswered: number, tolerance: number): boolean {
    return spent <= this.most(now) + unanswered + tolerance && spent >= this.fewest(now) - tolerance;
  }
}
