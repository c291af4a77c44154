import { PATIENCE_MS, type Rank } from "./window.js";

/** This many requests, or one poll, are sent before a response shows the state of a window. */
const MOST = 5;

/** Requests that are sent while the state of the window is unknown. */
export class Probes {
  #sent = 0;
  /** When the first one was sent. */
  sentAt: number = Number.NEGATIVE_INFINITY;
  /** What responses to earlier requests have stated since. */
  readonly #statedBefore: number[] = [];

  get areInFlight(): boolean {
    return this.#sent > 0;
  }

  admit(now: number, rank: Rank): boolean {
    const waits = this.#sent === 0 ? 0 : Math.floor((now - this.sentAt) / PATIENCE_MS);
    return this.#sent < (rank === 2 ? 1 : MOST) * (1 + waits);
  }

  send(now: number): void {
    if (this.#sent++ === 0) this.sentAt = now;
  }

  /** A request of this time was not sent. */
  withdraw(at: number): void {
    if (at >= this.sentAt) this.#sent = Math.max(0, this.#sent - 1);
  }

  /** An earlier request got its response meanwhile. */
  noteEarlier(remaining: number): void {
    this.#statedBefore.push(remaining);
  }

  /**
   * The least that remains, by the first response to a probe and by those before it. Requests may arrive in another order: some
   * that were sent before the first probe may be counted after it.
   */
  leastOf(remaining: number): number {
    const late = this.#statedBefore.filter((each) => each >= remaining - this.#statedBefore.length);
    return Math.min(remaining, ...late);
  }
}
