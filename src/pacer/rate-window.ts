import { LIMITS } from "../contract/limits.js";
import { CountedRequests } from "./counted-requests.js";
import { Demand } from "./demand.js";
import type { RateLimitReport, RateLimitState } from "./pacer.js";
import type { ReadBudget } from "./read-price.js";

/** Who claims requests of a window: creates and account reads, reads of tasks, polls. */
export type Claimant = 0 | 1 | 2;

/** Share of a window up to which each claimant goes ahead of those behind it: a task that is created wants reading too. */
const SHARES = [0.45, 0.25, 1] as const;
/** Share of a fresh window that polls leave to creates and account reads even if none came lately; it is set free evenly. */
const STANDING_RESERVE = 0.1;
/** How many deviations above the mean a reserve for what can't be foreseen lies. */
const MARGIN = 1.5;
/** So many may leave, polls one at a time, before an answer has shown where a window stands. */
const SCOUTS = 5;
/** How long that answer is waited for before as many again may leave. */
const PATIENCE_MS = 2000;
/** Where others spend too, what an answer said holds for so long. */
const FRESH_MS = 1500;
/** What leaves so shortly before a window's end may arrive in the next one. */
const LAST_MOMENT_MS = 500;
/** How far what remains may lie from what is expected: answers overtake each other. */
const TOLERANCE = 3;
/** A limit that no window showed for as long as this is believed no more: others may have spent what was missing. */
const LIMIT_LASTS_MS = 10 * LIMITS.windowMs;
/** A window is believed to be shorter when it lasted less than this share of what was believed. */
const SHORTER = 0.9;
/** A window that goes on is believed to last longer by this much. */
const GROWTH = 1.25;
/** A window that slides is spent in so many parts, each of them like a small window of its own. */
const PARTS_OF_A_SLIDE = 4;

/** What is known of the service's current window. */
interface Window {
  /** When the first request left that was meant for it. */
  openedAt: number;
  /** It began no earlier than this. */
  beganAfter: number;
  endsAt: number;
  /** Whether an answer has shown where it stands, and whether it had just begun then. */
  isConfirmed: boolean;
  isWhole: boolean;
  /** The least that was known to remain, and since when. */
  remaining: number;
  knownAt: number;
  /** Requests that left in it, by claimant, and how many of all were answered, the last one when. */
  spent: [number, number, number];
  answered: number;
  answeredAt: number;
}

/**
 * What is left of the key's budget, as far as can be known. The service counts a window from its first request, and says
 * with every answer how many requests remain (Limits); requests whose answer is out may not be counted yet. How many
 * a window holds, how long it is, whether it slides, and what others spend from it is learned from the answers.
 */
export class RateWindow {
  #limit: number = LIMITS.requestsPerWindow;
  #isLimitKnown = false;
  #limitSeenAt = 0;
  #lengthMs: number = LIMITS.windowMs;
  #isSliding = (globalThis as any).S1 === true;
  #window: Window = createWindow(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0);
  #before: Window | null = null;
  #unanswered = 0;
  #heldUntil = 0;
  /** A reserve that each 429 enlarges: something is not as believed. */
  #caution = 0;
  /** What others spend from the same key, by the millisecond; `null` before a window was seen to its end. */
  #othersPerMs: number | null = null;
  readonly #firsts = new Demand();
  readonly #counted = new CountedRequests();

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
    if (claimant < 2) return left > Math.min(leave, this.#quota * (1 - SHARES[0]));
    if (now > this.#lastMoment && this.#unanswered >= SCOUTS) return false;
    return left > this.#reserve(now) && (!this.#isShared || this.#admitsAmongOthers(now));
  }

  /** The next time at which more may leave than now. */
  nextChange(now: number): number {
    if (now < this.#heldUntil) return this.#heldUntil;
    if (!this.isOpen(now)) return now + PATIENCE_MS;
    const { endsAt } = this.#window;
    if (this.#left(now) <= 0 || now > this.#lastMoment) return endsAt;
    const nextRelease = (endsAt - now) / (1 + this.#reserve(now));
    return Math.min(endsAt, now + Math.max(50, nextRelease));
  }

  /** What polls may spend until this window's end, and until the next one's unless this is nearly over. */
  budgets(now: number): ReadBudget[] {
    const until = Math.max(now, this.#lastMoment);
    const reads = Math.max(0, this.#left(now) - this.#claimed(now, until - now, this.#shareLeft(now, 0)));
    const here = { reads, now, until };
    if (this.#isSliding) {
      const soon = reads + this.#counted.regained(now, until - now);
      return [{ reads: soon, now, until }];
    }
    if (until - now < 3 * LAST_MOMENT_MS) return [here];
    const next = Math.max(0, this.#quota - this.#claimed(now, this.#spanMs, this.#quota * SHARES[0]));
    return [here, { reads: reads + next, now, until: until + this.#spanMs }];
  }

  /** A request leaves. */
  spend(now: number, claimant: Claimant): void {
    if (now >= this.#window.endsAt) this.#begin(createWindow(now, now + this.#spanMs, this.#quota));
    this.#unanswered++;
    this.#window.spent[claimant]++;
    if (claimant === 0) this.#firsts.note(now);
  }

  /** An answer came, or none will. */
  settle(now: number, { sentAt, remaining, heldForMs }: RateLimitReport): void {
    this.#unanswered--;
    if (heldForMs !== null) return this.#hold(now, heldForMs);
    this.#counted.note(now);
    const window = this.#window;
    if (sentAt < window.openedAt) return;
    window.answered++;
    window.answeredAt = now;
    if (remaining === null) {
      window.isConfirmed = true;
      window.remaining--;
    } else if (!window.isConfirmed) this.#confirm(now, remaining, sum(window.spent));
    else if (!this.#isSliding && sentAt > window.knownAt && remaining >= window.remaining) {
      // More remain than did: the window was over sooner than believed, or it slides.
      this.#begin({ ...createWindow(sentAt, now, remaining), answered: 1, answeredAt: now });
      this.#confirm(now, remaining, 1 + this.#unanswered);
    } else this.#note(now, remaining);
  }

  state(now: number): RateLimitState {
    const isOpen = this.isOpen(now);
    return {
      limit: this.#isLimitKnown ? this.#limit : null,
      remaining: isOpen ? Math.max(0, this.#left(now)) : null,
      resetAt: isOpen && !this.#isSliding ? this.#window.endsAt : null,
      heldUntil: now < this.#heldUntil ? this.#heldUntil : null,
    };
  }

  /** What is spent and planned as one: a window, or a part of one that slides. */
  get #quota(): number {
    return this.#isSliding ? this.#limit / PARTS_OF_A_SLIDE : this.#limit;
  }

  get #spanMs(): number {
    return this.#isSliding ? this.#lengthMs / PARTS_OF_A_SLIDE : this.#lengthMs;
  }

  /** Until when polls leave: what leaves later may count for the next window. */
  get #lastMoment(): number {
    return this.#window.openedAt + this.#spanMs - LAST_MOMENT_MS;
  }

  get #isShared(): boolean {
    return this.#othersPerMs !== 0 || this.#caution > 0;
  }

  #left(now: number): number {
    const { endsAt, remaining } = this.#window;
    if (this.#isSliding) return this.#limit - this.#counted.most(now) - this.#unanswered;
    return (now < endsAt ? remaining : this.#limit) - this.#unanswered;
  }

  #shareLeft(now: number, claimant: Claimant): number {
    const spent = now < this.#window.endsAt ? this.#window.spent[claimant] : 0;
    return Math.max(0, this.#quota * SHARES[claimant] - spent);
  }

  /** What creates, account reads and others will take within a time; no more is left to others than to ourselves. */
  #claimed(now: number, ms: number, share: number): number {
    return Math.min(this.#firsts.within(now, ms), share) + this.#othersWithin(ms);
  }

  #othersWithin(ms: number): number {
    return Math.min(this.#othersPerMs ?? 0, this.#limit / 2 / this.#lengthMs) * ms;
  }

  #reserve(now: number): number {
    const ms = Math.max(0, this.#window.endsAt - now);
    const standing = (STANDING_RESERVE * this.#quota * ms) / this.#spanMs;
    const firsts = Math.min(
      Math.max(withMargin(this.#firsts.within(now, ms)), standing),
      this.#shareLeft(now, 0),
    );
    const others = this.#othersPerMs ? withMargin(this.#othersWithin(ms)) + TOLERANCE : 0;
    return Math.floor(firsts + others + this.#caution);
  }

  /** The first requests of a window find out where it stands; where their answers are late, more follow. */
  #admitsScout(now: number, claimant: Claimant): boolean {
    const { endsAt, openedAt, spent, answered } = this.#window;
    if (now >= endsAt) return true;
    const few = claimant === 2 ? 1 : SCOUTS;
    return sum(spent) - answered < few * (1 + Math.floor((now - openedAt) / PATIENCE_MS));
  }

  /** Where others spend too, no more are under way than would leave room if everybody did the same. */
  #admitsAmongOthers(now: number): boolean {
    const free = this.#window.remaining - this.#reserve(now);
    return this.#unanswered < (now < this.#window.answeredAt + FRESH_MS ? Math.max(1, free / 2) : 1);
  }

  /** The first answer in a window, in which so many of our own requests may be counted. */
  #confirm(now: number, remaining: number, own: number): void {
    const [window, before] = [this.#window, this.#before];
    const isWhole = !this.#isLimitKnown || remaining >= this.#limit - own - TOLERANCE;
    if (!this.#isLimitKnown) this.#limit = remaining + 1;
    this.#isLimitKnown = true;
    window.isConfirmed = true;

    const mayBegin = !isWhole && before !== null && remaining >= before.remaining;
    this.#setSliding(
      this.#isSliding
        ? this.#explainsSlide(now, remaining, TOLERANCE)
        : mayBegin && this.#explainsSlide(now, remaining, 0),
    );

    if (
      !this.#isSliding &&
      before !== null &&
      !isWhole &&
      remaining < before.remaining &&
      now - before.openedAt < 2 * this.#lengthMs
    ) {
      // The window before goes on, and so is longer than believed.
      this.#lengthMs = Math.max(this.#lengthMs, GROWTH * (now - before.openedAt));
      window.openedAt = before.openedAt;
      window.beganAfter = before.beganAfter;
      window.answered += before.answered;
      window.endsAt = Math.max(now, before.openedAt + this.#lengthMs);
    } else {
      const lastedMs = now - (before?.beganAfter ?? Number.NEGATIVE_INFINITY);
      if (isWhole && !this.#isSliding && lastedMs < SHORTER * this.#lengthMs)
        this.#lengthMs = Math.max(1000, lastedMs);
      window.beganAfter = isWhole ? window.openedAt : (before?.answeredAt ?? Number.NEGATIVE_INFINITY);
      window.endsAt = now + this.#spanMs;
      window.isWhole = isWhole;
      if (isWhole || this.#isSliding) this.#limitSeenAt = now;
    }
    window.remaining = Number.POSITIVE_INFINITY;
    this.#note(now, remaining);
  }

  /** Whether a window that slides would have left so many, since it still counts what left in the last one. */
  #explainsSlide(now: number, remaining: number, tolerance: number): boolean {
    const [most, fewest] = [this.#counted.most(now) + this.#unanswered, this.#counted.fewest(now)];
    return remaining >= this.#limit - most - tolerance && remaining <= this.#limit - fewest + tolerance;
  }

  #setSliding(isSliding: boolean): void {
    if (isSliding && !this.#isSliding) {
      this.#lengthMs = LIMITS.windowMs;
      this.#othersPerMs = 0;
    }
    this.#isSliding = isSliding;
  }

  #note(now: number, remaining: number): void {
    const window = this.#window;
    if (remaining < window.remaining) Object.assign(window, { remaining, knownAt: now });
    if (window.isWhole) this.#limit = Math.max(this.#limit, window.remaining + window.answered);
  }

  #begin(window: Window): void {
    if (this.#window.isConfirmed) {
      this.#sumUp(this.#window);
      this.#before = this.#window;
    }
    this.#window = window;
  }

  /** Learns from a window that is over how much there was, and what others spent of it. */
  #sumUp({ openedAt, remaining, answered, answeredAt }: Window): void {
    this.#caution = Math.max(0, this.#caution - 1);
    if (this.#isSliding) return;
    if (answeredAt > this.#limitSeenAt + LIMIT_LASTS_MS) this.#limit = remaining + answered;
    const others = Math.max(0, this.#limit - remaining - answered);
    const lastedMs = answeredAt - openedAt;
    if (lastedMs < this.#lengthMs / 10) return;
    const mean = ((this.#othersPerMs ?? others / lastedMs) + others / lastedMs) / 2;
    this.#othersPerMs = mean * this.#lengthMs < 1 ? 0 : mean;
  }

  #hold(now: number, heldForMs: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, now + heldForMs);
    this.#caution = Math.min(this.#limit / 5, 2 * this.#caution + 2);
    const began =
      (this.#window.isConfirmed ? this.#window : this.#before)?.beganAfter ?? Number.NEGATIVE_INFINITY;
    const lastedMs = this.#heldUntil - began;
    // The hold ends with the window: one that we saw begin shows how long it is.
    if (!this.#isSliding && lastedMs > this.#lengthMs + 2000 && lastedMs < 10 * this.#lengthMs)
      this.#lengthMs = lastedMs;
    this.#window.endsAt = this.#heldUntil;
    this.#window.remaining = 0;
  }
}

function createWindow(openedAt: number, endsAt: number, remaining: number): Window {
  return {
    openedAt,
    beganAfter: openedAt,
    endsAt,
    isConfirmed: false,
    isWhole: false,
    remaining,
    knownAt: openedAt,
    spent: [0, 0, 0],
    answered: 0,
    answeredAt: openedAt,
  };
}

function withMargin(expected: number): number {
  return expected + MARGIN * Math.sqrt(expected);
}

function sum([first, second, third]: readonly [number, number, number]): number {
  return first + second + third;
}
