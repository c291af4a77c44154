import { LIMITS } from "../contract/service.js";
import { OtherProcesses } from "./other-processes.js";

/** A request is counted at most this long before its response comes. */
export const IN_FLIGHT_MS = 500;

/** What is known about the use of a key, whichever kind its window is. */
export class KeyUse {
  /** Until when a 429 holds everything back. */
  heldUntil = 0;
  /** How many requests the service accepts in a window. */
  limit: number = LIMITS.requestsPerWindow;
  /** When a response last showed the limit. */
  limitSeenAt = Number.NEGATIVE_INFINITY;
  inFlight = 0;
  /** Creates and account reads. */
  readonly creates = new Demand();
  readonly counted = new CountedRequests();
  readonly others = new OtherProcesses();
}

/** How many events of a kind to expect, learned from those of about the last window. */
export class Demand {
  #perMs = 0;
  #notedAt = 0;

  /** @param count - -1 for an event that did not happen after all */
  note(now: number, count: 1 | -1 = 1): void {
    this.#perMs = Math.max(0, this.within(now, 1) + count / LIMITS.windowMs);
    this.#notedAt = now;
  }

  /** How many to expect within a time from now. */
  within(now: number, ms: number): number {
    return ms * this.#perMs * Math.exp((this.#notedAt - now) / LIMITS.windowMs);
  }
}

/** How many requests of this process got a response in each second that a sliding window may still count. */
class CountedRequests {
  readonly #bySecond = new Map<number, number>();

  note(now: number): void {
    const second = Math.floor(now / 1000);
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1);
    for (const each of this.#bySecond.keys()) {
      if (1000 * each > now - LIMITS.windowMs - 2 * IN_FLIGHT_MS) break;
      this.#bySecond.delete(each);
    }
  }

  /** How many got a response within the last `ms`, and up to a second earlier, but not within the last `butMs`. */
  within(now: number, ms: number, butMs = 0): number {
    let count = 0;
    for (const [second, requests] of this.#bySecond) {
      const endsAt = 1000 * (second + 1);
      if (endsAt > now - ms && (butMs === 0 || endsAt <= now - butMs)) count += requests;
    }
    return count;
  }

  /** Whether a sliding window would count this many. */
  explain(now: number, spent: number, tolerance: number): boolean {
    const most = this.within(now, LIMITS.windowMs + IN_FLIGHT_MS);
    return (
      spent <= most + tolerance && spent >= this.within(now, LIMITS.windowMs - 2 * IN_FLIGHT_MS) - tolerance
    );
  }
}
