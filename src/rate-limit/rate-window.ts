import { Demand } from "./demand.js";
import type { RateLimitReport, RateLimitState } from "./pacer.js";
import type { ReadBudget } from "./read-price.js";
import { Waves } from "./waves.js";
import { type Claimant, countSpent } from "./window.js";
import { LAST_MOMENT_MS, WindowTracker } from "./window-tracker.js";

/**
 * Share of a window up to which each claimant goes ahead of those behind it. What creates leave must hold at least one
 * read for each task, and the reads of those that never end.
 */
const SHARES = [0.45, 0.25, 1] as const;
/** Share of a fresh window that polls leave to creates and account reads even if none came lately; it is set free evenly. */
const STANDING_RESERVE = 0.1;
/** How many deviations above the mean a reserve for what can't be foreseen lies. */
const MARGIN = 1.5;
/** Nearer for what others take: a 429 now and then costs less than what is left to them in vain. */
const OTHERS_MARGIN = 0.75;
/** So many may leave, polls one at a time, before an answer has shown where a window stands. */
const SCOUTS = 5;
/** How long that answer is waited for before as many again may leave. */
const PATIENCE_MS = 2000;
/** Where others spend too, what an answer said holds for so long. */
const FRESH_MS = 1500;
/** How long before its end a window is to be spent where others spend too: waves take their time. */
const WAVES_TAKE_MS = 3000;
/** Where a window slides, nothing is gained by leaving what is free for later than this. */
const SOON_MS = 2750;
/** What is reserved is set free in steps no shorter than this. */
const SHORTEST_STEP_MS = 50;

/** A budget that a queue spends from, as this process sees it: of this process alone, or shared by a fleet. */
export type Budget = Pick<RateWindow, keyof RateWindow>;

/**
 * What is left of the key's budget, as far as can be known, and for whom. The first requests of each window find out
 * where it stands: it may go on, others may have spent from it, or it slides.
 */
export class RateWindow {
  readonly #tracker = new WindowTracker();
  readonly #limit = this.#tracker.limit;
  readonly #counted = this.#tracker.counted;
  readonly #firsts = new Demand();
  readonly #waves = new Waves();

  /** Until when a 429 holds everything back. */
  get heldUntil(): number {
    return this.#tracker.heldUntil;
  }

  /** When the first request of this window left. */
  get openedAt(): number {
    return this.#tracker.window.openedAt;
  }

  /** Whether it is known where the window stands. */
  isOpen(now: number): boolean {
    return this.#tracker.isOpen(now);
  }

  /** Whether a claimant still goes ahead of those behind it. */
  hasShare(now: number, claimant: Claimant): boolean {
    return this.#shareLeft(now, claimant) > 0;
  }

  /** Whether a request may leave now, when so many are to be left to those who claim less. */
  admits(now: number, claimant: Claimant, leave = 0): boolean {
    const left = this.#tracker.left(now);
    if (now < this.heldUntil || left <= 0) return false;
    if (!this.isOpen(now)) return this.#admitsScout(now, claimant);
    if (claimant < 2) return left > Math.min(leave, this.#limit.quota * (1 - SHARES[0]));
    if (now > this.#tracker.lastMoment && this.#tracker.unanswered >= SCOUTS) return false;
    if (left <= this.#reserve(now)) return false;
    return !this.#limit.isShared(now) || this.#waves.admits(now, this.#tracker.unanswered);
  }

  /** The next time at which more may leave than now. */
  nextChange(now: number): number {
    if (now < this.heldUntil) return this.heldUntil;
    const isSpent = this.#tracker.left(now) <= 0;
    const { isSliding } = this.#limit;
    if (!this.isOpen(now)) {
      const regainedAt = isSpent && isSliding ? this.#counted.nextRegain(now) : Number.POSITIVE_INFINITY;
      return Math.min(now + PATIENCE_MS, Math.max(now + SHORTEST_STEP_MS, regainedAt));
    }
    const { endsAt } = this.#tracker.window;
    let next = now + (endsAt - now) / (1 + this.#reserve(now));
    if (isSpent) next = isSliding ? this.#counted.nextRegain(now) : endsAt;
    else if (now > this.#tracker.lastMoment) next = endsAt;
    return Math.min(endsAt, Math.max(now + SHORTEST_STEP_MS, next));
  }

  /** What polls may spend until this window's end, and until the next one's unless this is nearly over. */
  budgets(now: number): [ReadBudget, ReadBudget?] {
    const { quota, spanMs, isSliding } = this.#limit;
    const until = this.#spentBy(now);
    const regained = isSliding ? this.#counted.regained(now, until - now) : 0;
    const claimed = this.#claimed(now, until - now, this.#shareLeft(now, 0));
    const reads = Math.max(0, this.#tracker.left(now) - claimed) + regained;
    const here = { reads, now, until };
    // What a window leaves unspent is lost in the end; and one that slides has no next one.
    if (isSliding || until - now < 3 * LAST_MOMENT_MS) return [here];
    const next = Math.max(0, quota - this.#claimed(now, spanMs, quota * SHARES[0]));
    return [here, { reads: reads + next, now, until: until + spanMs }];
  }

  /** A request leaves. */
  spend(now: number, claimant: Claimant): void {
    this.#tracker.beginIfOver(now);
    this.#waves.spend(now, this.#tracker.unanswered, this.#free(now));
    this.#tracker.spend(claimant);
    if (claimant === 0) this.#firsts.note(now);
  }

  /** An answer came, or none will. */
  settle(now: number, answer: Omit<RateLimitReport, "taskId">): void {
    this.#tracker.settle(now, answer);
  }

  state(now: number): RateLimitState {
    const isOpen = this.isOpen(now);
    return {
      limit: this.#limit.isKnown ? this.#limit.requests : null,
      remaining: isOpen ? Math.max(0, this.#tracker.left(now)) : null,
      resetAt: isOpen && !this.#limit.isSliding ? this.#tracker.window.endsAt : null,
      heldUntil: now < this.heldUntil ? this.heldUntil : null,
    };
  }

  /** When what is left now is to be spent. */
  #spentBy(now: number): number {
    if (this.#limit.isSliding) return now + SOON_MS;
    return Math.max(now, this.#tracker.lastMoment - (this.#limit.isShared(now) ? WAVES_TAKE_MS : 0));
  }

  #shareLeft(now: number, claimant: Claimant): number {
    const spent = now < this.#tracker.window.endsAt ? this.#tracker.window.spent[claimant] : 0;
    return Math.max(0, this.#limit.quota * SHARES[claimant] - spent);
  }

  /** What creates, account reads and others will take within a time. */
  #claimed(now: number, ms: number, share: number): number {
    return Math.min(this.#firsts.within(now, ms), share) + this.#limit.othersWithin(ms);
  }

  #reserve(now: number): number {
    const { quota, spanMs, caution } = this.#limit;
    const ms = Math.max(0, this.#tracker.window.endsAt - now);
    const standing = (STANDING_RESERVE * quota * ms) / spanMs;
    const firsts = Math.max(withMargin(this.#firsts.within(now, ms), MARGIN), standing);
    const others = this.#limit.othersWithin(ms);
    const forOthers = others > 0 ? withMargin(others, OTHERS_MARGIN) + 1 : 0;
    return Math.floor(Math.min(firsts, this.#shareLeft(now, 0)) + forOthers + caution);
  }

  /** The first requests of a window find out where it stands; where their answers are late, more follow. */
  #admitsScout(now: number, claimant: Claimant): boolean {
    const { endsAt, openedAt } = this.#tracker.window;
    if (now >= endsAt) return true;
    const few = claimant === 2 ? 1 : SCOUTS;
    return countSpent(this.#tracker.window) < few * (1 + Math.floor((now - openedAt) / PATIENCE_MS));
  }

  /** What polls may spend of what an answer has said; after a while it says nothing any more. */
  #free(now: number): number {
    return now < this.#tracker.window.answeredAt + FRESH_MS
      ? this.#tracker.window.remaining - this.#reserve(now)
      : 1;
  }
}

function withMargin(expected: number, deviations: number): number {
  return expected + deviations * Math.sqrt(expected);
}
