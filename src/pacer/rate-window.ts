import { LIMITS } from "../contract/limits.js";
import type { RateLimitReport } from "./pacer.js";

/** Share of a window's requests that polls leave to creates, account reads and reads. */
const RESERVED_SHARE = 0.1;

/**
 * What is left of the key's budget, as far as can be known: the service counts a window from its first request, and
 * says with every answer how many requests remain (Limits). Requests whose answer is out may not be counted yet.
 */
export class RateWindow {
  /** What the next window is believed to hold. */
  #limit: number = LIMITS.requestsPerWindow;
  #remaining = 0;
  #unanswered = 0;
  #answered = 0;
  #endsAt = 0;
  #heldUntil = 0;

  /** Whether a request may leave now; polls leave a reserve to everything else. */
  admits(now: number, isPoll: boolean): boolean {
    if (now < this.#heldUntil) return false;
    const left = (now >= this.#endsAt ? this.#limit : this.#remaining) - this.#unanswered;
    return left > (isPoll ? Math.floor(this.#limit * RESERVED_SHARE) : 0);
  }

  /** The next time at which more may leave than now. */
  nextChange(now: number): number {
    return now < this.#heldUntil ? this.#heldUntil : this.#endsAt;
  }

  /** Until when a 429 holds everything back. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** A request leaves. */
  spend(now: number): void {
    if (now >= this.#endsAt) this.#open(now, this.#limit);
    this.#unanswered += 1;
  }

  /** An answer came, or none will. */
  settle(now: number, { remaining, heldForMs }: RateLimitReport): void {
    this.#unanswered -= 1;
    if (heldForMs !== null) this.#hold(now + heldForMs);
    else if (remaining !== null) this.#learn(now, remaining);
    else this.#remaining -= 1;
  }

  #open(now: number, remaining: number): void {
    this.#endsAt = now + LIMITS.windowMs;
    this.#remaining = remaining;
    this.#answered = 0;
  }

  #hold(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#endsAt = this.#heldUntil;
    this.#remaining = 0;
  }

  #learn(now: number, remaining: number): void {
    // Answers may overtake each other, but by no more than are under way.
    if (remaining > this.#remaining + this.#unanswered) this.#open(now, remaining);
    // The service's window began no later than its first answer, so ours never ends before it.
    if (this.#answered === 0) this.#endsAt = now + LIMITS.windowMs;

    this.#answered += 1;
    const believed = remaining + this.#answered;
    this.#limit = this.#answered === 1 ? believed : Math.max(this.#limit, believed);
    this.#remaining = Math.min(this.#remaining, remaining);
  }
}
