import type { KeyUse } from "./key-use.js";
import type { RateLimitState } from "./pacer.js";
import {
  PATIENCE_MS,
  type PacerWindow,
  type PollBudget,
  type Rank,
  SHARES,
  SHORTEST_STEP_MS,
  type WindowReport,
} from "./window.js";

/** Share of a new window that polls leave to rank 0 even if no such request came lately. It is released evenly. */
const STANDING_RESERVE = 0.1;

/** A window of which this process knows from the responses to its requests only. */
export abstract class OwnWindow implements PacerWindow {
  /** Whether it counts the requests of the last minute, not those since a time. */
  abstract readonly isSliding: boolean;
  openedAt: number = Number.NEGATIVE_INFINITY;
  /** When the window, or the current part of it, ends. */
  protected endsAt: number = Number.NEGATIVE_INFINITY;
  protected abstract readonly windowMs: number;
  /** How many requests of each rank were sent since it began. */
  protected spent: [number, number, number] = [0, 0, 0];
  protected readonly key: KeyUse;

  constructor(key: KeyUse) {
    this.key = key;
  }

  get heldUntil(): number {
    return this.key.heldUntil;
  }

  abstract isOpen(now: number): boolean;
  /** How many requests the service would still admit. */
  protected abstract left(now: number): number;
  /** How many of them a response has shown lately. */
  protected abstract shownLeft(now: number): number;
  /** When more requests are left, once none is. */
  protected abstract refillsAt(now: number): number;
  /** How many requests the ranks share at a time. */
  protected abstract get quota(): number;
  /** Whether a request may be sent while it is unknown what is left. */
  protected abstract admitsProbe(now: number, rank: Rank): boolean;
  abstract budget(now: number): PollBudget;
  abstract state(now: number): RateLimitState;
  /** Learns from a response. Returns whether it shows a window that slides. */
  protected abstract learn(now: number, report: WindowReport): boolean;

  shareLeft(now: number, rank: Rank): number {
    return Math.max(0, this.quota * SHARES[rank] - (now < this.endsAt ? this.spent[rank] : 0));
  }

  admits(now: number, rank: Rank, leave = 0): boolean {
    const left = this.left(now);
    if (now < this.heldUntil || left <= 0) return false;
    if (!this.isOpen(now)) return this.admitsProbe(now, rank);
    if (rank < 2) return left > Math.min(leave, this.quota * (1 - SHARES[0]));
    return this.key.others.admitPoll(now, this.key.inFlight) && left > this.reserve(now);
  }

  nextChange(now: number): number {
    if (now < this.heldUntil) return this.heldUntil;
    if (!this.isOpen(now)) return now + PATIENCE_MS;
    const isUsedUp = this.left(now) <= 0;
    const next = isUsedUp ? this.refillsAt(now) : now + (this.endsAt - now) / (1 + this.reserve(now));
    return Math.max(now + SHORTEST_STEP_MS, next);
  }

  spend(now: number, rank: Rank): void {
    const { key } = this;
    if (rank === 2) key.others.spendPoll(now, key.inFlight, this.shownLeft(now));
    key.inFlight++;
    this.spent[rank]++;
    if (rank === 0) key.creates.note(now);
  }

  /** Returns whether the window slides, by all that is known now. */
  record(now: number, report: WindowReport): boolean {
    this.key.inFlight--;
    if (report.heldForMs !== null) {
      this.hold(now, report.heldForMs);
      return this.isSliding;
    }
    this.key.counted.note(now);
    return this.learn(now, report);
  }

  /** A 429 came. */
  protected hold(now: number, heldForMs: number): void {
    this.key.heldUntil = Math.max(this.heldUntil, now + heldForMs);
    this.endsAt = this.heldUntil;
  }

  /** What is left to polls within a time from now. */
  protected leftToPolls(now: number, ms: number): number {
    const creates = Math.min(this.key.creates.within(now, ms), this.shareLeft(now, 0));
    return Math.max(0, this.left(now) - creates - this.key.others.within(ms));
  }

  /** What polls leave to rank 0 and to other processes until the window ends. */
  protected reserve(now: number): number {
    const ms = Math.max(0, this.endsAt - now);
    const standing = (STANDING_RESERVE * this.key.limit * ms) / this.windowMs;
    const creates = this.key.creates.within(now, ms);
    // With a margin of one standard deviation.
    const toCreates = Math.max(standing, creates + Math.sqrt(creates));
    return Math.floor(Math.min(toCreates, this.shareLeft(now, 0)) + this.key.others.reserve(ms));
  }
}
