import { LIMITS } from "../contract/service.js";
import { REMAINING_TOLERANCE, REMEMBERED_WINDOWS } from "./other-processes.js";
import { OwnWindow } from "./own-window.js";
import { Probes } from "./probes.js";
import type { Rank, WindowReport } from "./window.js";

/** A window that continues after its expected end is assumed to last longer by this factor. */
const LONGER = 1.25;
/** A window is shorter than expected where it lasted at most this share of that, and at least 2 s. */
const SHORTER = 0.95;
const SHORTEST_WINDOW_MS = 2000;
/** `Retry-After` is rounded up to seconds. */
const ROUNDING_MS = 1000;
/** While the last response is older than this, polls are sent one by one if other processes are expected. */
const FRESH_MS = 1500;

/**
 * A window that the service counts from its first request. Each response states how many requests remain (Limits). The
 * first response in a window shows whether the window is new, continues, or slides.
 */
export class FixedWindow extends OwnWindow {
  readonly isSliding = false;
  /** The window began no earlier than this. */
  #beganAfter = Number.NEGATIVE_INFINITY;
  /** The least that a response stated, and when. */
  #remaining: number = LIMITS.requestsPerWindow;
  #knownAt = Number.NEGATIVE_INFINITY;
  /** How many responses since then stated nothing. Each counts as spent, although the service may not have received its request. */
  #unstated = 0;
  /** How many requests of this process the window may count. */
  #own = 0;
  /** Until a response shows the state of the window. */
  #probes = new Probes();
  /** When the first response in the window came, and what remained of the one before. */
  #seenAt = Number.NEGATIVE_INFINITY;
  #remainedBefore = -1;

  override isOpen(now: number): boolean {
    return super.isOpen(now) && now < this.endsAt;
  }

  override admits(now: number, rank: Rank, leave = 0): boolean {
    if (now < this.endsAt || now < this.heldUntil) return super.admits(now, rank, leave);
    return this.left(now) > 0 && this.#probes.admit(now, rank);
  }

  override spend(now: number, rank: Rank): void {
    if (!this.isOpen(now)) this.#probes.send(now);
    if (rank === 2) {
      const shown = now < this.#knownAt + FRESH_MS ? this.#remaining - this.reserve(now) : 0;
      this.key.others.spendPoll(now, this.key.inFlight, shown);
    }
    this.#own++;
    super.spend(now, rank);
  }

  override giveBack(now: number, rank: Rank, spentAt: number): void {
    super.giveBack(now, rank, spentAt);
    if (spentAt >= this.openedAt) this.#own = Math.max(0, this.#own - 1);
    this.#probes.withdraw(spentAt);
  }

  protected left(now: number): number {
    return (now < this.endsAt ? this.#remaining : this.key.limit) - this.key.inFlight;
  }

  learn(now: number, { sentAt, remaining }: WindowReport): boolean {
    if (this.#probes.areInFlight) {
      if (sentAt >= this.#probes.sentAt) return this.#open(now, this.#probes.sentAt, remaining);
      if (remaining !== null) this.#probes.noteEarlier(remaining);
    } else if (remaining === null) {
      if (this.#remaining > 0) this.#unstated++;
      this.#remaining = Math.max(0, this.#remaining - 1);
    } else if (sentAt > this.#knownAt && remaining >= this.#remaining + this.#unstated) {
      // As many remain as when it was sent, or more: the window ended sooner than expected, or it slides.
      return this.#open(now, sentAt, remaining);
    } else if (!this.#isOfLast(sentAt, remaining)) {
      if (sentAt > this.#knownAt) this.#forgetUnstated();
      this.#note(now, remaining);
    }
    return false;
  }

  /** A later response states what remains, with or without them. */
  #forgetUnstated(): void {
    this.#remaining += this.#unstated;
    this.#unstated = 0;
  }

  /** Whether a response belongs to the window before. */
  #isOfLast(sentAt: number, remaining: number): boolean {
    if (sentAt > this.#seenAt || remaining > this.#remainedBefore) return false;
    return this.#remaining - remaining > this.key.inFlight + 1;
  }

  /** The first response in a window came. Returns whether the window slides. */
  #open(now: number, openedAt: number, stated: number | null): boolean {
    const { key } = this;
    const remaining = stated ?? key.limit - 1;
    const own = 1 + key.inFlight;
    const isNew = remaining >= key.limit - own - REMAINING_TOLERANCE;
    const hasRisen = remaining >= this.#remaining;
    const least = this.#probes.leastOf(remaining);
    this.#probes = new Probes();
    this.#seenAt = now;
    this.#remainedBefore = this.#isLimitKnown ? this.#remaining : -1;
    if (!isNew && !hasRisen && now - this.openedAt < 2 * this.windowMs) {
      this.#continue(now, remaining);
      return false;
    }
    if (!isNew && hasRisen && key.counted.explain(now, key.limit - remaining, key.inFlight)) {
      key.others.forget();
      key.others.notice(now, this.windowMs);
      return true;
    }
    this.#learnFromLast(now, remaining, own);
    this.#beganAfter = this.#isLimitKnown && remaining === key.limit - 1 ? openedAt : this.#knownAt;
    this.openedAt = openedAt;
    this.endsAt = now + this.windowMs;
    this.#own = own;
    this.spent = [0, 0, 0];
    this.#unstated = 0;
    this.#remaining = least;
    if (stated !== null) this.#note(now, least);
    return false;
  }

  /** The window has not ended as expected. */
  #continue(now: number, remaining: number): void {
    this.windowMs = Math.max(this.windowMs, LONGER * (now - this.openedAt));
    this.endsAt = Math.max(now, this.openedAt + this.windowMs);
    this.#own = this.key.limit - remaining;
    this.#note(now, remaining);
  }

  #note(now: number, remaining: number): void {
    const { key } = this;
    if (remaining <= this.#remaining) [this.#remaining, this.#knownAt] = [remaining, now];
    if (remaining + 1 >= key.limit) [key.limit, key.limitSeenAt] = [remaining + 1, now];
    if (key.limit - remaining > this.#own + REMAINING_TOLERANCE) key.others.notice(now, this.windowMs);
  }

  /** When a window has begun: learns how long the last one was, and what other processes spent in it. */
  #learnFromLast(now: number, remaining: number, own: number): void {
    const { key } = this;
    const longestMs = now - this.#beganAfter;
    if (longestMs > SHORTEST_WINDOW_MS && longestMs < SHORTER * this.windowMs) this.windowMs = longestMs;
    const seenMs = this.#knownAt - this.openedAt;
    // A short time shows little about how fast other processes spend.
    if (seenMs > this.windowMs / 10) {
      const byOthers = Math.max(0, key.limit - this.#remaining - (this.#own - own));
      key.others.learn(now, byOthers, seenMs, key.limit, this.windowMs);
    }
    if (now > key.limitSeenAt + REMEMBERED_WINDOWS * this.windowMs) {
      key.limit = remaining + 1;
      // What the lower limit lacks is not what others spend.
      key.others.forget();
    }
  }

  /**
   * The hold of a 429 lasts to the end of the window. Without learning from it, "0.3 a second, 120 in 120 s"
   * (tools/pacing/scenarios.ts) gets 10 429s, not 1.
   */
  override hold(now: number, heldForMs: number): void {
    const isFirst = now >= this.heldUntil;
    super.hold(now, heldForMs);
    const lastedMs = this.heldUntil - this.openedAt - ROUNDING_MS;
    const isLonger = lastedMs > this.windowMs && lastedMs < REMEMBERED_WINDOWS * this.windowMs;
    if (isFirst && isLonger) this.windowMs = lastedMs + ROUNDING_MS;
    this.#knownAt = now;
    this.#unstated = 0;
    this.#remaining = 0;
    this.#probes = new Probes();
  }

  get #isLimitKnown(): boolean {
    return this.key.limitSeenAt > 0;
  }
}
