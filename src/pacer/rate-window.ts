import { CountedRequests } from "./counted-requests.js";
import { Demand } from "./demand.js";
import { KeyLimit, TOLERANCE } from "./key-limit.js";
import type { RateLimitReport, RateLimitState } from "./pacer.js";
import type { ReadBudget } from "./read-price.js";
import { Waves } from "./waves.js";
import { belongsTo, type Claimant, countSpent, createWindow, type Window } from "./window.js";

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
/** What leaves so shortly before a window's end may arrive in the next one. */
const LAST_MOMENT_MS = 500;
/** What is reserved is set free in steps no shorter than this. */
const SHORTEST_STEP_MS = 50;

/** A budget that a queue spends from, as this process sees it: of this process alone, or shared by a fleet. */
export type Budget = Pick<RateWindow, keyof RateWindow>;

/**
 * What is left of the key's budget, as far as can be known. The service counts a window from its first request, and says
 * with every answer how many requests remain (Limits); requests whose answer is out may not be counted yet. The first
 * requests of each window find out where it stands: it may go on, others may have spent from it, or it slides.
 */
export class RateWindow {
  readonly #limit = new KeyLimit();
  readonly #firsts = new Demand();
  readonly #counted = new CountedRequests();
  readonly #waves = new Waves();
  #window: Window = createWindow(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0);
  #before: Window | null = null;
  #unanswered = 0;
  #heldUntil = 0;

  /** Until when a 429 holds everything back. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** When the first request of this window left. */
  get openedAt(): number {
    return this.#window.openedAt;
  }

  /** Whether it is known where the window stands. */
  isOpen(now: number): boolean {
    return now >= this.#heldUntil && this.#window.isConfirmed && now < this.#window.endsAt;
  }

  /** Whether a claimant still goes ahead of those behind it. */
  hasShare(now: number, claimant: Claimant): boolean {
    return this.#shareLeft(now, claimant) > 0;
  }

  /** Whether a request may leave now, when so many are to be left to those who claim less. */
  admits(now: number, claimant: Claimant, leave = 0): boolean {
    const left = this.#left(now);
    if (now < this.#heldUntil || left <= 0) return false;
    if (!this.isOpen(now)) return this.#admitsScout(now, claimant);
    if (claimant < 2) return left > Math.min(leave, this.#limit.quota * (1 - SHARES[0]));
    if (now > this.#lastMoment && this.#unanswered >= SCOUTS) return false;
    if (left <= this.#reserve(now)) return false;
    return !this.#limit.isShared(now) || this.#waves.admits(now, this.#unanswered);
  }

  /** The next time at which more may leave than now. */
  nextChange(now: number): number {
    if (now < this.#heldUntil) return this.#heldUntil;
    if (!this.isOpen(now)) return now + PATIENCE_MS;
    const { endsAt } = this.#window;
    let next = now + (endsAt - now) / (1 + this.#reserve(now));
    if (this.#left(now) <= 0) next = this.#limit.isSliding ? this.#counted.nextRegain(now) : endsAt;
    else if (now > this.#lastMoment) next = endsAt;
    return Math.min(endsAt, Math.max(now + SHORTEST_STEP_MS, next));
  }

  /** What polls may spend until this window's end, and until the next one's unless this is nearly over. */
  budgets(now: number): [ReadBudget, ReadBudget?] {
    const { quota, spanMs, isSliding } = this.#limit;
    const until = Math.max(now, this.#lastMoment - (this.#limit.isShared(now) ? WAVES_TAKE_MS : 0));
    const regained = isSliding ? this.#counted.regained(now, until - now) : 0;
    const claimed = this.#claimed(now, until - now, this.#shareLeft(now, 0));
    const reads = Math.max(0, this.#left(now) - claimed) + regained;
    const here = { reads, now, until };
    // What a window leaves unspent is lost in the end; and one that slides has no next one.
    if (isSliding || until - now < 3 * LAST_MOMENT_MS) return [here];
    const next = Math.max(0, quota - this.#claimed(now, spanMs, quota * SHARES[0]));
    return [here, { reads: reads + next, now, until: until + spanMs }];
  }

  /** A request leaves. */
  spend(now: number, claimant: Claimant): void {
    const { spanMs, quota } = this.#limit;
    if (now >= this.#window.endsAt) this.#begin(createWindow(now, now + spanMs, quota));
    this.#waves.spend(now, this.#unanswered, this.#free(now));
    this.#unanswered++;
    this.#window.spent[claimant]++;
    if (claimant === 0) this.#firsts.note(now);
  }

  /** An answer came, or none will. */
  settle(now: number, { sentAt, remaining, heldForMs }: Omit<RateLimitReport, "taskId">): void {
    this.#unanswered--;
    if (heldForMs === null) this.#settleCounted(now, sentAt, remaining);
    else this.#hold(now, heldForMs);
  }

  state(now: number): RateLimitState {
    const isOpen = this.isOpen(now);
    return {
      limit: this.#limit.isKnown ? this.#limit.requests : null,
      remaining: isOpen ? Math.max(0, this.#left(now)) : null,
      resetAt: isOpen && !this.#limit.isSliding ? this.#window.endsAt : null,
      heldUntil: now < this.#heldUntil ? this.#heldUntil : null,
    };
  }

  /** Until when many polls may leave at once. */
  get #lastMoment(): number {
    return this.#window.openedAt + this.#limit.spanMs - LAST_MOMENT_MS;
  }

  #left(now: number): number {
    const { requests, isSliding } = this.#limit;
    if (isSliding) return requests - this.#counted.current(now) - this.#unanswered;
    return (now < this.#window.endsAt ? this.#window.remaining : requests) - this.#unanswered;
  }

  /** How many of our own requests may be counted in this window. */
  get #mostOfOurs(): number {
    return this.#window.came + this.#unanswered;
  }

  #shareLeft(now: number, claimant: Claimant): number {
    const spent = now < this.#window.endsAt ? this.#window.spent[claimant] : 0;
    return Math.max(0, this.#limit.quota * SHARES[claimant] - spent);
  }

  /** What creates, account reads and others will take within a time. */
  #claimed(now: number, ms: number, share: number): number {
    return Math.min(this.#firsts.within(now, ms), share) + this.#limit.othersWithin(ms);
  }

  #reserve(now: number): number {
    const { quota, spanMs, caution } = this.#limit;
    const ms = Math.max(0, this.#window.endsAt - now);
    const standing = (STANDING_RESERVE * quota * ms) / spanMs;
    const firsts = Math.max(withMargin(this.#firsts.within(now, ms), MARGIN), standing);
    const others = this.#limit.othersWithin(ms);
    const forOthers = others > 0 ? withMargin(others, OTHERS_MARGIN) + 1 : 0;
    return Math.floor(Math.min(firsts, this.#shareLeft(now, 0)) + forOthers + caution);
  }

  /** The first requests of a window find out where it stands; where their answers are late, more follow. */
  #admitsScout(now: number, claimant: Claimant): boolean {
    const { endsAt, openedAt, answered } = this.#window;
    if (now >= endsAt) return true;
    const few = claimant === 2 ? 1 : SCOUTS;
    return countSpent(this.#window) - answered < few * (1 + Math.floor((now - openedAt) / PATIENCE_MS));
  }

  /** What polls may spend of what an answer has said; after a while it says nothing any more. */
  #free(now: number): number {
    return now < this.#window.answeredAt + FRESH_MS ? this.#window.remaining - this.#reserve(now) : 1;
  }

  #settleCounted(now: number, sentAt: number, remaining: number | null): void {
    this.#counted.note(now);
    const window = this.#window;
    window.came++;
    const leftBefore = sentAt < window.openedAt;
    const tellsOfBefore =
      remaining === null || this.#limit.isSliding
        ? leftBefore
        : belongsTo(this.#before, window, { sentAt, remaining }, this.#unanswered);
    if (tellsOfBefore) return;
    window.answered++;
    window.answeredAt = now;
    if (remaining === null) {
      window.isConfirmed = true;
      window.remaining = Math.max(0, window.remaining - 1);
    } else if (!window.isConfirmed) {
      this.#confirm(now, remaining);
    } else if (!this.#limit.isSliding && sentAt > window.knownAt && remaining >= window.remaining) {
      // As many remain as when it left, or more: the window was over sooner than believed, or it slides.
      this.#begin({ ...createWindow(sentAt, now, remaining), answered: 1, came: 1, answeredAt: now });
      this.#confirm(now, remaining);
    } else this.#note(now, remaining);
  }

  /** The first answer in a window. */
  #confirm(now: number, remaining: number): void {
    const [limit, window, before] = [this.#limit, this.#window, this.#before];
    const isWhole = limit.isWhole(remaining, this.#mostOfOurs);
    const rose = before !== null && remaining >= before.remaining;
    const spent = limit.requests - remaining;
    if (limit.isSliding)
      limit.showSliding(now, this.#counted.explain(now, spent, this.#unanswered, TOLERANCE));
    else limit.showSliding(now, !isWhole && rose && this.#counted.explain(now, spent, this.#unanswered, 0));

    window.isConfirmed = true;
    window.confirmedAt = now;
    window.remaining = remaining;
    window.knownAt = now;
    if (
      before !== null &&
      !isWhole &&
      !rose &&
      !limit.isSliding &&
      now - before.openedAt < 2 * limit.windowMs
    ) {
      limit.showGoingOn(now - before.openedAt);
      window.openedAt = before.openedAt;
      window.beganAfter = before.beganAfter;
      window.answered += before.answered;
      window.came += before.came;
      window.endsAt = Math.max(now, before.openedAt + limit.windowMs);
      return;
    }
    window.isWhole = isWhole && !limit.isSliding;
    if (isWhole && before !== null && !limit.isSliding) limit.showLength(now - before.beganAfter);
    window.beganAfter = isWhole ? window.openedAt : (before?.answeredAt ?? Number.NEGATIVE_INFINITY);
    window.endsAt = now + limit.spanMs;
    this.#note(now, remaining);
  }

  #note(now: number, remaining: number): void {
    const window = this.#window;
    if (!this.#limit.isSliding) this.#limit.showRemaining(now, remaining, this.#mostOfOurs);
    if (remaining < window.remaining) Object.assign(window, { remaining, knownAt: now });
    // Later on, a window that slides has let go of its first requests.
    const isFresh = window.isWhole && now <= this.#lastMoment;
    if (isFresh) this.#limit.showRequests(now, window.remaining + window.answered);
  }

  #begin(window: Window): void {
    if (this.#window.isConfirmed) {
      this.#limit.sumUp(this.#window);
      this.#before = this.#window;
    }
    this.#window = window;
  }

  #hold(now: number, heldForMs: number): void {
    const isNews = now >= this.#heldUntil;
    this.#heldUntil = Math.max(this.#heldUntil, now + heldForMs);
    const began = (this.#window.isConfirmed ? this.#window : this.#before)?.beganAfter;
    // The hold ends with the window: one that was seen to begin shows how long it is.
    if (isNews) this.#limit.showHold(this.#heldUntil - (began ?? Number.NEGATIVE_INFINITY));
    this.#window.endsAt = this.#heldUntil;
    this.#window.remaining = 0;
  }
}

function withMargin(expected: number, deviations: number): number {
  return expected + deviations * Math.sqrt(expected);
}
