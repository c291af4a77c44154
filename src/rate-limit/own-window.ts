import { LIMITS } from "../contract/service.js";
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

/** A window that this process learns from the responses to its own requests. */
export abstract class OwnWindow implements PacerWindow {
  /** Whether it counts the requests of the last minute, not those since its first one. */
  abstract readonly isSliding: boolean;
  openedAt: number = Number.NEGATIVE_INFINITY;
  protected readonly key: KeyUse;
  protected windowMs: number = LIMITS.windowMs;
  /** When the window, or the current part of it, ends. */
  protected endsAt: number = Number.NEGATIVE_INFINITY;
  /** How many requests of each rank were sent since it began. */
  protected spent: [number, number, number] = [0, 0, 0];

  constructor(key: KeyUse) {
    this.key = key;
  }

  /** How many requests the service would still admit. */
  protected abstract left(now: number): number;
  /** Learns from a response. Returns whether the window slides, by all that is known now. */
  abstract learn(now: number, report: WindowReport): boolean;

  get heldUntil(): number {
    return this.key.heldUntil;
  }

  isOpen(now: number): boolean {
    return now >= this.heldUntil;
  }

  shareLeft(now: number, rank: Rank): number {
    return Math.max(0, this.quota * SHARES[rank] - (now < this.endsAt ? this.spent[rank] : 0));
  }

  admits(now: number, rank: Rank, leave = 0): boolean {
    const left = this.left(now);
    if (!this.isOpen(now) || left <= 0) return false;
    if (rank < 2) return left > Math.min(leave, this.quota * (1 - SHARES[0]));
    return this.key.others.admitPoll(now, this.key.inFlight) && left > Math.max(leave, this.reserve(now));
  }

  nextChange(now: number, leave = 0): number {
    if (now < this.heldUntil) return this.heldUntil;
    if (!this.isOpen(now)) return now + PATIENCE_MS;
    const isUsedUp = this.left(now) <= 0;
    const next = isUsedUp
      ? this.endsAt
      : now + (this.endsAt - now) / (1 + Math.max(leave, this.reserve(now)));
    return Math.max(now + SHORTEST_STEP_MS, next);
  }

  budget(now: number, until: number = Math.max(now, this.endsAt)): PollBudget {
    const { creates, others } = this.key;
    const ms = until - now;
    const toCreates = Math.min(creates.within(now, ms), this.shareLeft(now, 0));
    const polls = Math.max(0, this.left(now) - toCreates - others.within(ms));
    return { polls, now, until, from: this.openedAt, limit: this.key.limit };
  }

  spend(now: number, rank: Rank): void {
    this.key.inFlight++;
    this.spent[rank]++;
    if (rank === 0) this.key.creates.note(now);
  }

  /** A request that was spent at a time was not sent. */
  giveBack(now: number, rank: Rank, spentAt: number): void {
    if (rank === 0) this.key.creates.note(now, -1);
    if (spentAt >= this.openedAt) this.spent[rank] = Math.max(0, this.spent[rank] - 1);
  }

  state(now: number): RateLimitState {
    const { limit, limitSeenAt, heldUntil } = this.key;
    const isOpen = this.isOpen(now);
    return {
      limit: limitSeenAt > 0 ? limit : null,
      remaining: isOpen ? Math.max(0, this.left(now)) : null,
      resetAt: isOpen && !this.isSliding ? this.endsAt : null,
      heldUntil: now < heldUntil ? heldUntil : null,
    };
  }

  /** A 429 came. */
  hold(now: number, heldForMs: number): void {
    this.key.heldUntil = Math.max(this.heldUntil, now + heldForMs);
    this.endsAt = this.heldUntil;
  }

  /** How many requests the ranks share at a time. */
  protected get quota(): number {
    return this.key.limit;
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
