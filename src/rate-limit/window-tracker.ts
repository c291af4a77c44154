import { CountedRequests } from "./counted-requests.js";
import { KeyLimit, TOLERANCE } from "./key-limit.js";
import type { RateLimitReport } from "./pacer.js";
import { belongsTo, type Claimant, createWindow, type Window } from "./window.js";

/** What leaves so shortly before a window's end may arrive in the next one. */
export const LAST_MOMENT_MS = 500;

/**
 * Where the key's window stands, as the answers tell it. The service counts a window from its first request, and says
 * with every answer how many requests remain (Limits); requests whose answer is out may not be counted yet. The first
 * answers in a window tell whether it is a new one, goes on, or slides, and whether others have spent from it.
 */
export class WindowTracker {
  readonly limit: KeyLimit = new KeyLimit();
  readonly counted: CountedRequests = new CountedRequests();
  #window: Window = createWindow(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0);
  #before: Window | null = null;
  #unanswered = 0;
  #heldUntil = 0;

  /** The window that the last request left in. */
  get window(): Readonly<Window> {
    return this.#window;
  }

  /** Requests that left and have no answer yet. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Until when a 429 holds everything back. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** Until when many polls may leave at once. */
  get lastMoment(): number {
    return this.#window.openedAt + this.limit.spanMs - LAST_MOMENT_MS;
  }

  /** Whether it is known where the window stands. */
  isOpen(now: number): boolean {
    return now >= this.#heldUntil && this.#window.isConfirmed && now < this.#window.endsAt;
  }

  /** How many requests the service would still admit, as far as can be known. */
  left(now: number): number {
    const { requests, isSliding } = this.limit;
    if (isSliding) return requests - this.counted.current(now) - this.#unanswered;
    return (now < this.#window.endsAt ? this.#window.remaining : requests) - this.#unanswered;
  }

  /** Begins a window where none goes on. */
  beginIfOver(now: number): void {
    const { spanMs, quota } = this.limit;
    if (now >= this.#window.endsAt) this.#begin(createWindow(now, now + spanMs, quota));
  }

  /** A request leaves. */
  spend(claimant: Claimant): void {
    this.#unanswered++;
    this.#window.spent[claimant]++;
  }

  /** An answer came, or none will. */
  settle(now: number, { sentAt, remaining, heldForMs }: Omit<RateLimitReport, "taskId">): void {
    this.#unanswered--;
    if (heldForMs === null) this.#settleCounted(now, sentAt, remaining);
    else this.#hold(now, heldForMs);
  }

  /** How many of our own requests may be counted in this window. */
  get #mostOfOurs(): number {
    return this.#window.came + this.#unanswered;
  }

  #settleCounted(now: number, sentAt: number, remaining: number | null): void {
    this.counted.note(now);
    const window = this.#window;
    window.came++;
    const leftBefore = sentAt < window.openedAt;
    const tellsOfBefore =
      remaining === null || this.limit.isSliding
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
    } else if (!this.limit.isSliding && sentAt > window.knownAt && remaining >= window.remaining) {
      // As many remain as when it left, or more: the window was over sooner than believed, or it slides.
      this.#begin({ ...createWindow(sentAt, now, remaining), answered: 1, came: 1, answeredAt: now });
      this.#confirm(now, remaining);
    } else this.#note(now, remaining);
  }

  /** The first answer in a window. */
  #confirm(now: number, remaining: number): void {
    const [limit, window, before] = [this.limit, this.#window, this.#before];
    const isWhole = limit.isWhole(remaining, this.#mostOfOurs);
    const rose = before !== null && remaining >= before.remaining;
    const spent = limit.requests - remaining;
    if (limit.isSliding)
      limit.showSliding(now, this.counted.explain(now, spent, this.#unanswered, TOLERANCE));
    else limit.showSliding(now, !isWhole && rose && this.counted.explain(now, spent, this.#unanswered, 0));

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
    if (!this.limit.isSliding) this.limit.showRemaining(now, remaining, this.#mostOfOurs);
    if (remaining < window.remaining) Object.assign(window, { remaining, knownAt: now });
    // Later on, a window that slides has let go of its first requests.
    const isFresh = window.isWhole && now <= this.lastMoment;
    if (isFresh) this.limit.showRequests(now, window.remaining + window.answered);
  }

  #begin(window: Window): void {
    if (this.#window.isConfirmed) {
      this.limit.sumUp(this.#window);
      this.#before = this.#window;
    }
    this.#window = window;
  }

  #hold(now: number, heldForMs: number): void {
    const isNews = now >= this.#heldUntil;
    this.#heldUntil = Math.max(this.#heldUntil, now + heldForMs);
    const began = (this.#window.isConfirmed ? this.#window : this.#before)?.beganAfter;
    // The hold ends with the window: one that was seen to begin shows how long it is.
    if (isNews) this.limit.showHold(this.#heldUntil - (began ?? Number.NEGATIVE_INFINITY));
    this.#window.endsAt = this.#heldUntil;
    this.#window.remaining = 0;
  }
}
