import { LIMITS } from "../contract/service.js";
import type { Window } from "./window.js";

/** How far what remains may lie from what is expected: answers overtake each other. */
export const TOLERANCE = 3;
/** A limit that no window showed for as long as this is believed no more: others may have spent what was missing. */
const LIMIT_LASTS_MS = 10 * LIMITS.windowMs;
/** Others who spent from the key may come back for so long. */
const OTHERS_STAY_MS = 10 * LIMITS.windowMs;
/** A window that goes on is believed to last longer by this much. */
const GROWTH = 1.25;
/** A window is believed to be shorter when it lasted less than this share of what was believed: others may have begun it. */
const SHORTER = 0.9;
/** No window is believed to be shorter than this, in milliseconds: two answers that overtook each other only seem to tell of two. */
const SHORTEST_MS = 2000;
/** A 429's wait is rounded up to seconds (Errors), so a window is longer than believed only by more than this. */
const ROUNDING_MS = 2000;
/** A window that slides is spent in so many parts, each of them like a small window of its own. */
const PARTS_OF_A_SLIDE = 8;

/** What is learned of a key's limit: how many requests a window holds, how long it is, whether it slides, what others spend. */
export class KeyLimit {
  requests: number = LIMITS.requestsPerWindow;
  isKnown = false;
  windowMs: number = LIMITS.windowMs;
  /** A reserve that each 429 enlarges: something is not as believed. */
  caution = 0;
  #isSliding = false;
  #seenAt = 0;
  /** What others spend from the same key, by the millisecond; `null` before a window was seen to its end. */
  #othersPerMs: number | null = null;
  #othersSeenAt = Number.NEGATIVE_INFINITY;

  get isSliding(): boolean {
    return this.#isSliding;
  }

  /** How many are spent as one: a window, or a part of one that slides; and how long that is. */
  get quota(): number {
    return this.#isSliding ? this.requests / PARTS_OF_A_SLIDE : this.requests;
  }

  get spanMs(): number {
    return this.#isSliding ? this.windowMs / PARTS_OF_A_SLIDE : this.windowMs;
  }

  /** Whether others may spend from the same key: nobody knows before a window's end, or soon after they did. */
  isShared(now: number): boolean {
    return this.#othersPerMs === null || now < this.#othersSeenAt + OTHERS_STAY_MS;
  }

  /** So many remain, and no more than so many of our own were counted. */
  showRemaining(now: number, remaining: number, own: number): void {
    if (this.requests - remaining > own + TOLERANCE) this.#othersSeenAt = now;
  }

  /** What others will spend within a time; no more is left to them than to ourselves. */
  othersWithin(ms: number): number {
    return Math.min(this.#othersPerMs ?? 0, this.requests / 2 / this.windowMs) * ms;
  }

  /** Whether so many remain that a window has just begun, in which only so many of our own were counted. */
  isWhole(remaining: number, own: number): boolean {
    return !this.isKnown || remaining >= this.requests - own - TOLERANCE;
  }

  /** A window that had just begun shows how many it holds. */
  showRequests(now: number, requests: number): void {
    this.requests = this.isKnown ? Math.max(this.requests, requests) : requests;
    this.isKnown = true;
    this.#seenAt = now;
  }

  /** A new window has begun so long after the last one. */
  showLength(lastedMs: number): void {
    if (lastedMs > SHORTEST_MS && lastedMs < SHORTER * this.windowMs) this.windowMs = lastedMs;
  }

  /** A window that should be over goes on after such a time. */
  showGoingOn(lastedMs: number): void {
    this.windowMs = Math.max(this.windowMs, GROWTH * lastedMs);
  }

  /** A 429 shows that its window will have lasted so long: for others' sake it may also have begun later than believed. */
  showHold(lastedMs: number): void {
    this.caution = Math.min(this.requests / 5, 2 * this.caution + 2);
    const isLonger = lastedMs > this.windowMs + ROUNDING_MS && lastedMs < 10 * this.windowMs;
    if (isLonger && !this.#isSliding) this.windowMs = lastedMs;
  }

  showSliding(now: number, isSliding: boolean): void {
    if (isSliding && !this.#isSliding) {
      this.windowMs = LIMITS.windowMs;
      this.#othersPerMs = 0;
    }
    if (isSliding) this.#seenAt = now;
    this.#isSliding = isSliding;
  }

  /** A window is over: it shows what others spent. */
  sumUp({ openedAt, remaining, answered, came, answeredAt }: Window): void {
    this.caution = Math.max(0, this.caution - 1);
    if (this.#isSliding) return;
    if (this.isKnown && answeredAt > this.#seenAt + LIMIT_LASTS_MS) this.requests = remaining + answered;
    const lastedMs = answeredAt - openedAt;
    // A glimpse says little of how fast others spend.
    if (lastedMs < this.windowMs / 10) return;
    const perMs = Math.max(0, this.requests - remaining - came) / lastedMs;
    const mean = ((this.#othersPerMs ?? perMs) + perMs) / 2;
    this.#othersPerMs = mean * this.windowMs < 1 ? 0 : mean;
  }
}
