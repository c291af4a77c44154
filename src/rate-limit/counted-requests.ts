import { LIMITS } from "../contract/service.js";

/** How long an answer may take: so much earlier than its answer came may a request have been counted. */
const ON_ITS_WAY_MS = 500;

/** No limit is near so many: a client that may send faster needs no memory of all that it has sent. */
const MOST = 10_000;

/** When this client's own requests were counted, for as long as a window that slides would count them. */
export class CountedRequests {
  /** In order; those before the first that still counts are forgotten now and then, all at once. */
  #answeredAt: number[] = [];
  #first = 0;

  note(now: number): void {
    const forgotten = this.#answeredAt.length - MOST + 1;
    this.#first = Math.max(forgotten, this.#firstAfter(now - LIMITS.windowMs - ON_ITS_WAY_MS));
    if (this.#first > this.#answeredAt.length / 2) {
      this.#answeredAt = this.#answeredAt.slice(this.#first);
      this.#first = 0;
    }
    this.#answeredAt.push(now);
  }

  /** How many it will count for a request that leaves now, since all had been counted when their answers came. */
  current(now: number): number {
    return this.#countAfter(now - LIMITS.windowMs);
  }

  /** When it lets go of the next of those. */
  nextRegain(now: number): number {
    const next = this.#answeredAt[this.#firstAfter(now - LIMITS.windowMs)];
    return (next ?? Number.POSITIVE_INFINITY) + LIMITS.windowMs;
  }

  /** How many it will have let go of after a time. */
  regained(now: number, ms: number): number {
    const most = now - LIMITS.windowMs - ON_ITS_WAY_MS;
    return this.#countAfter(most) - this.#countAfter(most + ms);
  }

  /** Whether a window that slides would have spent so many: it still counts what left in the last one. */
  explain(now: number, spent: number, unanswered: number, tolerance: number): boolean {
    const most = this.#countAfter(now - LIMITS.windowMs - ON_ITS_WAY_MS);
    const fewest = this.#countAfter(now - LIMITS.windowMs + ON_ITS_WAY_MS);
    return spent <= most + unanswered + tolerance && spent >= fewest - tolerance;
  }

  #countAfter(time: number): number {
    return this.#answeredAt.length - this.#firstAfter(time);
  }

  /** The place of the first answer after a time. */
  #firstAfter(time: number): number {
    let [low, high] = [this.#first, this.#answeredAt.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#answeredAt[middle] ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
