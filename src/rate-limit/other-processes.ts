import { PATIENCE_MS } from "./window.js";

/** For how many windows the use of the key by other processes, and a limit, is remembered. */
export const REMEMBERED_WINDOWS = 10;
/** Responses arrive in another order than they were sent: what remains may be off by this much. */
export const REMAINING_TOLERANCE = 3;

/** The share of what remains that is sent as one batch of polls. */
const BATCH_SHARE = 1 / 4;

/**
 * What other processes spend of the key's rate limit. While they are expected, polls are sent in batches, each after the
 * responses to the one before. Without batches, "100 in flight, two processes" (tools/pacing/scenarios.ts) gets 12 429s a
 * run instead of 5.
 */
export class OtherProcesses {
  #perMs = 0;
  /** Until when they are expected: always, before a window was seen to its end. */
  #expectedUntil = Number.POSITIVE_INFINITY;
  #batchLeft = 0;
  #batchedAt = Number.NEGATIVE_INFINITY;

  /** How many requests they are expected to send within a time. */
  within(ms: number): number {
    return this.#perMs * ms;
  }

  /** What is left to them within a time: with a margin of one standard deviation. */
  reserve(ms: number): number {
    const expected = this.within(ms);
    return this.#perMs > 0 ? 1 + expected + Math.sqrt(expected) : 0;
  }

  /** The current window shows that they spend. */
  notice(now: number, windowMs: number): void {
    this.#expectedUntil = Math.max(this.#expectedUntil, now + REMEMBERED_WINDOWS * windowMs);
  }

  /** Learns from a window that has ended: they sent so many requests in a part of it. */
  learn(now: number, requests: number, seenMs: number, limit: number, windowMs: number): void {
    const isFirst = this.#expectedUntil === Number.POSITIVE_INFINITY;
    if (isFirst)
      this.#expectedUntil = requests > REMAINING_TOLERANCE ? now + REMEMBERED_WINDOWS * windowMs : 0;
    const perMs = isFirst ? requests / seenMs : (this.#perMs + requests / seenMs) / 2;
    // They get at most as much as this process.
    this.#perMs = perMs * windowMs < 1 ? 0 : Math.min(perMs, limit / 2 / windowMs);
  }

  /** A sliding window does not show how much they spend. */
  forget(): void {
    this.#perMs = 0;
  }

  admitPoll(now: number, inFlight: number): boolean {
    return now >= this.#expectedUntil || this.#batchLeft >= 1 || this.#isBatchOver(now, inFlight);
  }

  /** A poll is sent, which may begin a batch of what is known to remain. */
  spendPoll(now: number, inFlight: number, remaining: number): void {
    if (this.#isBatchOver(now, inFlight)) {
      this.#batchLeft = Math.max(1, BATCH_SHARE * remaining);
      this.#batchedAt = now;
    }
    this.#batchLeft--;
  }

  #isBatchOver(now: number, inFlight: number): boolean {
    return inFlight === 0 || now >= this.#batchedAt + PATIENCE_MS;
  }
}
