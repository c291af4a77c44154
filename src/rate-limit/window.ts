import { LIMITS } from "../contract/service.js";
import type { RateLimitReport, RateLimitState } from "./pacer.js";

/** The rank of a request: 0 for creates and account reads, 1 for reads of tasks, 2 for polls. */
export type Rank = 0 | 1 | 2;

/** What a pacer needs of a window: `RateWindow` is that of this process, and a fleet may share another. */
export type PacerWindow = Pick<RateWindow, keyof RateWindow>;

/** How many polls may be sent from now until a time. */
export interface PollBudget {
  polls: number;
  now: number;
  until: number;
}

/** Share of a window up to which each rank comes before the lower ones. */
const SHARES = [0.45, 0.25, 1] as const;
/** Share of a new window that polls leave to rank 0 even if no such request came lately. It is released evenly. */
const STANDING_RESERVE = 0.1;
/** This many requests, or one poll, are sent before a response shows the state of a window. */
const PROBES = 5;
/** How long responses are awaited before as many again are sent. */
const PATIENCE_MS = 2000;
/** Responses arrive in another order than they were sent: `remaining` may be off by this much. */
const TOLERANCE = 3;
/** What is reserved is released in steps no shorter than this. */
const SHORTEST_STEP_MS = 50;

/**
 * If other processes use the key too, polls are sent in batches of a quarter of what remains, each after the responses to the one
 * before; and one by one while the last response is older than this. Without batches, "100 in flight, two processes"
 * gets 12 429s a run instead of 5.
 */
const BATCH_SHARE = 1 / 4;
const FRESH_MS = 1500;
/** For how many windows a limit, and the use of the key by other processes, is remembered. */
const REMEMBERED_WINDOWS = 10;

/** A window that continues after its expected end is assumed to last longer by this factor. */
const LONGER = 1.25;
/** A window is shorter than expected where it lasted at most this share of that, and at least 2 s. */
const SHORTER = 0.95;
const SHORTEST_WINDOW_MS = 2000;
/** `Retry-After` is rounded up to seconds. */
const ROUNDING_MS = 1000;

/** A sliding window is spent in parts of this length: as a whole, "0.3 a second, sliding" takes 1.8 times as long. */
const SLIDING_PART_MS = 5000;
/** A request is counted at most this long before its response comes. */
const IN_FLIGHT_MS = 500;

/**
 * What is left of the key's rate limit. The service counts a window from its first request and states with each response
 * how many requests remain (Limits). The first response in a window shows whether it is new, continues, or slides.
 */
export class RateWindow {
  /** Until when a 429 holds everything back. */
  heldUntil = 0;
  /** When the first request of the current window was sent. */
  openedAt: number = Number.NEGATIVE_INFINITY;
  #endsAt = Number.NEGATIVE_INFINITY;
  /** The window began no earlier than this. */
  #beganAfter = Number.NEGATIVE_INFINITY;
  /** The least that a response stated, and when. */
  #remaining: number = LIMITS.requestsPerWindow;
  #knownAt = Number.NEGATIVE_INFINITY;
  /** How many requests of this process the window may count, and how many of each rank were sent. */
  #own = 0;
  #spent: [number, number, number] = [0, 0, 0];
  #inFlight = 0;
  /** Requests that were sent while no window was open, and when the first of them was. */
  #probes = 0;
  #probedAt = Number.NEGATIVE_INFINITY;
  /** What responses to earlier requests have stated since. */
  #statedLate: number[] = [];
  /** When the first response in the current window came, and what remained of the one before. */
  #seenOpenAt = Number.NEGATIVE_INFINITY;
  #remainedBefore = -1;
  #batchLeft = 0;
  #batchedAt = Number.NEGATIVE_INFINITY;

  #limit: number = LIMITS.requestsPerWindow;
  #limitSeenAt = Number.NEGATIVE_INFINITY;
  #windowMs: number = LIMITS.windowMs;
  #isSliding = false;
  /** What other processes spend, and until when they are expected: always, before a window was seen to its end. */
  #othersPerMs = 0;
  #sharedUntil = Number.POSITIVE_INFINITY;
  readonly #creates = new Demand();
  readonly #counted = new CountedRequests();

  /** Whether the state of the window is known. */
  isOpen(now: number): boolean {
    return now >= this.heldUntil && (this.#isSliding || now < this.#endsAt);
  }

  /** How many requests of a rank still come before the lower ones. */
  shareLeft(now: number, rank: Rank): number {
    return Math.max(0, this.#quota * SHARES[rank] - (now < this.#endsAt ? this.#spent[rank] : 0));
  }

  /** Whether a request may be sent now, if this many must be left to lower ranks. */
  admits(now: number, rank: Rank, leave = 0): boolean {
    const left = this.#left(now);
    if (now < this.heldUntil || left <= 0) return false;
    if (!this.isOpen(now)) {
      const waits = this.#probes === 0 ? 0 : Math.floor((now - this.#probedAt) / PATIENCE_MS);
      return this.#probes < (rank === 2 ? 1 : PROBES) * (1 + waits);
    }
    if (rank < 2) return left > Math.min(leave, this.#quota * (1 - SHARES[0]));
    const mayBatch = now >= this.#sharedUntil || this.#batchLeft >= 1 || this.#isBatchOver(now);
    return mayBatch && left > this.#reserve(now);
  }

  /** The next time at which more requests may be sent than now. */
  nextChange(now: number): number {
    if (now < this.heldUntil) return this.heldUntil;
    if (!this.isOpen(now)) return now + PATIENCE_MS;
    let next = now + (this.#endsAt - now) / (1 + this.#reserve(now));
    if (this.#left(now) <= 0) next = this.#isSliding ? now + IN_FLIGHT_MS : this.#endsAt;
    return Math.max(now + SHORTEST_STEP_MS, next);
  }

  /** What polls may spend of this window; of a sliding one, of its next part. */
  budget(now: number): PollBudget {
    const until = this.#isSliding ? now + SLIDING_PART_MS : Math.max(now, this.#endsAt);
    const ms = until - now;
    const creates = Math.min(this.#creates.within(now, ms), this.shareLeft(now, 0));
    const released = this.#isSliding ? this.#counted.within(now, LIMITS.windowMs, LIMITS.windowMs - ms) : 0;
    return { polls: Math.max(0, this.#left(now) - creates - this.#othersPerMs * ms) + released, now, until };
  }

  /** A request is sent. */
  spend(now: number, rank: Rank): void {
    if (this.#isSliding && now >= this.#endsAt) {
      this.#endsAt = now + SLIDING_PART_MS;
      this.#spent = [0, 0, 0];
    }
    if (!this.isOpen(now) && this.#probes++ === 0) this.#probedAt = now;
    if (rank === 2 && this.#isBatchOver(now)) {
      const share = now < this.#knownAt + FRESH_MS ? BATCH_SHARE * (this.#remaining - this.#reserve(now)) : 0;
      this.#batchLeft = Math.max(1, share);
      this.#batchedAt = now;
    }
    if (rank === 2) this.#batchLeft--;
    this.#inFlight++;
    this.#own++;
    this.#spent[rank]++;
    if (rank === 0) this.#creates.note(now);
  }

  /** A response came, or none will. */
  record(now: number, { sentAt, remaining, heldForMs }: Omit<RateLimitReport, "taskId">): void {
    this.#inFlight--;
    if (heldForMs !== null) {
      this.#hold(now, heldForMs);
      return;
    }
    this.#counted.note(now);
    if (this.#probes > 0) {
      if (sentAt >= this.#probedAt) this.#open(now, this.#probedAt, remaining);
      else if (remaining !== null) this.#statedLate.push(remaining);
    } else if (remaining === null) {
      this.#remaining = Math.max(0, this.#remaining - 1);
    } else if (this.#isSliding) {
      this.#limitSeenAt = now;
      const isExplained = this.#counted.explain(now, this.#limit - remaining, TOLERANCE);
      if (this.#inFlight > 0 || isExplained) return;
      this.#isSliding = false;
      this.#endsAt = now;
    } else if (sentAt > this.#knownAt && remaining >= this.#remaining) {
      // As many remain as when it was sent, or more: the window ended sooner than expected, or it slides.
      this.#open(now, sentAt, remaining);
    } else if (
      sentAt > this.#seenOpenAt ||
      remaining > this.#remainedBefore ||
      this.#remaining - remaining <= this.#inFlight + 1
    ) {
      // All others belong to the window before.
      this.#note(now, remaining);
    }
  }

  state(now: number): RateLimitState {
    const isOpen = this.isOpen(now);
    return {
      limit: this.#limitSeenAt > 0 ? this.#limit : null,
      remaining: isOpen ? Math.max(0, this.#left(now)) : null,
      resetAt: isOpen && !this.#isSliding ? this.#endsAt : null,
      heldUntil: now < this.heldUntil ? this.heldUntil : null,
    };
  }

  /** The first response in a window. */
  #open(now: number, openedAt: number, stated: number | null): void {
    const isKnown = this.#limitSeenAt > 0;
    const remaining = stated ?? this.#limit - 1;
    const own = 1 + this.#inFlight;
    const isNew = remaining >= this.#limit - own - TOLERANCE;
    const hasRisen = remaining >= this.#remaining;
    const passedMs = now - this.openedAt;
    // Requests may arrive in another order: some that were sent before the first one may be counted after it.
    const late = this.#statedLate.splice(0).filter((each, _, { length }) => each >= remaining - length);
    this.#probes = 0;
    this.#seenOpenAt = now;
    this.#remainedBefore = isKnown ? this.#remaining : -1;
    if (!isNew && !hasRisen && passedMs < 2 * this.#windowMs) {
      this.#windowMs = Math.max(this.#windowMs, LONGER * passedMs);
      this.#endsAt = Math.max(now, this.openedAt + this.#windowMs);
      this.#own = this.#limit - remaining;
      this.#note(now, remaining);
      return;
    }
    const spent = this.#limit - remaining;
    this.#isSliding = !isNew && hasRisen && this.#counted.explain(now, spent, this.#inFlight);
    if (this.#isSliding) this.#othersPerMs = 0;
    else this.#learnFromLast(now, remaining, own);
    this.#beganAfter = isKnown && remaining === this.#limit - 1 ? openedAt : this.#knownAt;
    this.openedAt = openedAt;
    this.#endsAt = now + (this.#isSliding ? SLIDING_PART_MS : this.#windowMs);
    this.#own = own;
    this.#spent = [0, 0, 0];
    this.#remaining = Math.min(remaining, ...late);
    if (stated !== null) this.#note(now, this.#remaining);
  }

  #note(now: number, remaining: number): void {
    if (remaining <= this.#remaining) [this.#remaining, this.#knownAt] = [remaining, now];
    if (remaining + 1 >= this.#limit) [this.#limit, this.#limitSeenAt] = [remaining + 1, now];
    const isShared = this.#limit - remaining > this.#own + TOLERANCE;
    if (isShared) this.#sharedUntil = Math.max(this.#sharedUntil, now + REMEMBERED_WINDOWS * this.#windowMs);
  }

  /** When a window has begun: learns how long the last one was, and what other processes spent in it. */
  #learnFromLast(now: number, remaining: number, own: number): void {
    const longestMs = now - this.#beganAfter;
    if (longestMs > SHORTEST_WINDOW_MS && longestMs < SHORTER * this.#windowMs) this.#windowMs = longestMs;
    const seenMs = this.#knownAt - this.openedAt;
    // A short time shows little about how fast other processes spend.
    if (seenMs > this.#windowMs / 10) {
      const others = Math.max(0, this.#limit - this.#remaining - (this.#own - own));
      const perMs = others / seenMs;
      const isFirst = this.#sharedUntil === Number.POSITIVE_INFINITY;
      if (isFirst) this.#sharedUntil = others > TOLERANCE ? now + REMEMBERED_WINDOWS * this.#windowMs : 0;
      const mean = isFirst ? perMs : (this.#othersPerMs + perMs) / 2;
      // Other processes get at most as much as this one.
      this.#othersPerMs = mean * this.#windowMs < 1 ? 0 : Math.min(mean, this.#limit / 2 / this.#windowMs);
    }
    if (now > this.#limitSeenAt + REMEMBERED_WINDOWS * this.#windowMs) this.#limit = remaining + 1;
  }

  /** The hold of a 429 lasts to the end of the window. Without learning from it, "120 in 120 s" gets 10 429s, not 1. */
  #hold(now: number, heldForMs: number): void {
    const isFirst = now >= this.heldUntil;
    this.heldUntil = Math.max(this.heldUntil, now + heldForMs);
    const lastedMs = this.heldUntil - this.openedAt - ROUNDING_MS;
    const isLonger = lastedMs > this.#windowMs && lastedMs < REMEMBERED_WINDOWS * this.#windowMs;
    if (isFirst && isLonger && !this.#isSliding) this.#windowMs = lastedMs + ROUNDING_MS;
    this.#endsAt = this.heldUntil;
    this.#knownAt = now;
    this.#remaining = 0;
    this.#probes = 0;
  }

  /** How many requests the service would still admit. */
  #left(now: number): number {
    if (this.#isSliding) return this.#limit - this.#counted.within(now, LIMITS.windowMs) - this.#inFlight;
    return (now < this.#endsAt ? this.#remaining : this.#limit) - this.#inFlight;
  }

  /** How many requests the ranks share at a time. */
  get #quota(): number {
    return this.#isSliding ? (this.#limit * SLIDING_PART_MS) / LIMITS.windowMs : this.#limit;
  }

  /** What polls leave to rank 0 and to other processes until the window ends. */
  #reserve(now: number): number {
    const ms = Math.max(0, this.#endsAt - now);
    const standing = (STANDING_RESERVE * this.#limit * ms) / this.#windowMs;
    const [creates, others] = [this.#creates.within(now, ms), this.#othersPerMs * ms];
    // Each with a margin of one standard deviation.
    const toCreates = Math.max(standing, creates + Math.sqrt(creates));
    const toOthers = this.#othersPerMs > 0 ? 1 + others + Math.sqrt(others) : 0;
    return Math.floor(Math.min(toCreates, this.shareLeft(now, 0)) + toOthers);
  }

  #isBatchOver(now: number): boolean {
    return this.#inFlight === 0 || now >= this.#batchedAt + PATIENCE_MS;
  }
}

/** How many events of a kind to expect, learned from those of about the last window. */
export class Demand {
  #perMs = 0;
  #notedAt = 0;

  note(now: number): void {
    this.#perMs = this.#perMs * Math.exp((this.#notedAt - now) / LIMITS.windowMs) + 1 / LIMITS.windowMs;
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
