import { LIMITS } from "../../contract/service.js";
import { Demand } from "../../rate-limit/key-use.js";
import type { RateLimitState } from "../../rate-limit/pacer.js";
import {
  type PacerWindow,
  type PollBudget,
  type Rank,
  SHARES,
  SHORTEST_STEP_MS,
  type WindowReport,
} from "../../rate-limit/window.js";
import type { FleetShare } from "./fleet-share.js";
import { type Correction, type FleetSize, marginOf, type Taking } from "./shared-window.js";

/** Share of a new window to which the shares of the ranks do not apply. */
const ADVANTAGE = 0.1;
/** Share of a new window that polls leave to the fleet's creates and account reads; it is released evenly. */
const RESERVE = 0.25;
/** How many requests this process takes from the shared window at the same time, so that other processes get theirs in between. */
const MAX_PENDING = 4;
/** How long no more requests are taken while that many are pending. */
const PENDING_DELAY_MS = 2000;

/**
 * The fleet's window as this process last saw it. It decides when to take a request from the shared window, and how many to
 * plan with; the shared window decides whether the request is sent.
 */
export class FleetWindow implements PacerWindow {
  readonly #size: FleetSize;
  readonly #beforePlanning: () => void;
  readonly #marginMs: number;
  readonly #creates = new Demand();
  /** When this process first took a request from this window. */
  openedAt: number = Number.NEGATIVE_INFINITY;
  #endsAt = Number.NEGATIVE_INFINITY;
  heldUntil = 0;
  #taken = 0;
  #pending = 0;
  /** Whether this process opened the window, and has no response yet. */
  #isOpener = false;
  #spent: [number, number, number] = [0, 0, 0];
  /** This process's share of the fleet's waiting tasks, and whether those are of several tenants. */
  #share = 1;
  #isDivided = false;

  /** @param beforePlanning - called before the polls of the window are computed */
  constructor(size: FleetSize, beforePlanning: () => void) {
    this.#size = size;
    this.#beforePlanning = beforePlanning;
    this.#marginMs = marginOf(size);
  }

  /** The next window opens with the next request, so it can be planned with. */
  isOpen(now: number): boolean {
    return now >= this.heldUntil;
  }

  shareLeft(_now: number, rank: Rank): number {
    const [creates, reads, polls] = this.#spent;
    const granted = creates + reads + polls + ADVANTAGE * this.#size.requests;
    return Math.max(0, SHARES[rank] * granted - this.#spent[rank]);
  }

  admits(now: number, rank: Rank, leave = 0): boolean {
    if (now < this.heldUntil || this.#pending >= MAX_PENDING || this.#isOver(now)) return false;
    return this.#left(now) > this.#toOthers(now, rank === 2, leave);
  }

  /** How many requests of the window may be taken with this one, which leaves some to other tenants. */
  ceiling(now: number, isPoll: boolean, leave: number): number {
    // Whatever `admits` admits can be taken: otherwise the request would return to the queue, and be admitted again at once.
    return Math.ceil(this.#size.requests - this.#toOthers(now, isPoll, leave));
  }

  nextChange(now: number, leave = 0): number {
    if (now < this.heldUntil) return this.heldUntil;
    if (!this.#isCurrent(now) || this.#pending >= MAX_PENDING) return now + PENDING_DELAY_MS;
    if (this.#left(now) <= 0 || this.#isOver(now)) return this.#endsAt;
    const nextRelease = (this.#endsAt - now) / (1 + Math.max(leave, this.#reserve(now)));
    return Math.min(this.#endsAt, now + Math.max(SHORTEST_STEP_MS, nextRelease));
  }

  /** This process's share of what the fleet has left, without its own creates. */
  budget(now: number): PollBudget {
    this.#beforePlanning();
    const endsAt = this.#isCurrent(now) ? this.#endsAt : now + this.#size.windowMs + this.#marginMs;
    const until = Math.max(now, endsAt - 2 * this.#marginMs);
    const polls = Math.max(0, this.#shareLeft(now) - this.#creates.within(now, until - now));
    return { polls, now, until, from: this.openedAt, limit: this.#size.requests };
  }

  spend(now: number, rank: Rank): void {
    this.#pending++;
    this.#spent[rank]++;
    if (rank === 0) this.#creates.note(now);
  }

  report(now: number, { heldForMs, unsent, sentAt }: WindowReport): void {
    if (unsent === 0) this.#creates.note(now, -1);
    if (unsent !== undefined && sentAt >= this.openedAt)
      this.#spent[unsent] = Math.max(0, this.#spent[unsent] - 1);
    if (heldForMs === null) return;
    this.heldUntil = Math.max(this.heldUntil, now + heldForMs);
    this.#endsAt = this.heldUntil;
  }

  state(now: number): RateLimitState {
    const isOpen = this.#isCurrent(now) && now >= this.heldUntil;
    return {
      limit: this.#size.requests,
      remaining: isOpen ? Math.max(0, this.#left(now)) : null,
      resetAt: isOpen ? this.#endsAt : null,
      heldUntil: now < this.heldUntil ? this.heldUntil : null,
    };
  }

  /** How many tasks a window can poll at the shortest gaps. */
  get polledFreely(): number {
    const { requests, windowMs } = this.#size;
    return ((1 - RESERVE) * requests * LIMITS.recommendedPollIntervalMs.shortest) / windowMs;
  }

  setShare({ own, all }: Pick<FleetShare, "own" | "all">, isDivided: boolean): void {
    this.#isDivided = isDivided;
    this.#share = Math.max(1, own) / Math.max(1, own, all);
  }

  /**
   * A request of `takenAt` was taken or refused; `null` if the shared window is unavailable. Updates the window, and returns whether
   * the request may be sent.
   */
  update(taking: Taking | null, takenAt: number, now: number): boolean {
    this.#pending--;
    if (taking === null || taking.isHeld) return false;
    const { isTaken, taken, endsInMs } = taking;
    const endsAt = now + endsInMs + 1;
    if (!this.#isCurrent(now) || (taken < this.#taken && endsAt > this.#endsAt + this.#marginMs)) {
      this.#spent = [0, 0, 0];
      this.#taken = 0;
      this.#isOpener = false;
      this.openedAt = takenAt;
    }
    this.#endsAt = endsAt;
    this.#taken = Math.max(this.#taken, isTaken ? taken : taken - 1);
    if (!isTaken) return false;
    if (taken === 1) this.#isOpener = true;
    // The window may have nearly ended meanwhile.
    return takenAt + endsInMs >= now + 2 * this.#marginMs;
  }

  /** The correction that a response of the service requires, or null. */
  correct(now: number, sentAt: number, remaining: number | null): Correction | null {
    if (sentAt < this.openedAt || !this.#isCurrent(now)) return null;
    const endsInMs = this.#endsAt - now + this.#marginMs;
    const counted = remaining === null ? 0 : this.#size.requests - remaining;
    // The service's window began no later than now. The first request may be sent late, or never. In the second half of the fleet's
    // window, what the service counts first may be a late request, in its next window.
    const isFirst =
      (counted === 1 && this.#endsAt - now > this.#size.windowMs / 2) ||
      (this.#isOpener && sentAt < this.openedAt + this.#marginMs);
    const lastsMs = isFirst ? this.#size.windowMs + this.#marginMs : 0;
    this.#isOpener = false;
    if (counted <= this.#taken && now + lastsMs <= this.#endsAt) return null;
    this.#taken = Math.max(this.#taken, counted);
    this.#endsAt = Math.max(this.#endsAt, now + lastsMs);
    return { taken: counted, lastsMs, endsInMs };
  }

  /**
   * A request that was taken at a time is not sent. Returns how long its window would have lasted at most from now, in milliseconds;
   * `null` if it has ended.
   */
  giveBack(now: number, takenAt: number): number | null {
    if (takenAt < this.openedAt || !this.#isCurrent(now)) return null;
    this.#taken = Math.max(0, this.#taken - 1);
    return this.#endsAt - now + this.#marginMs;
  }

  #isCurrent(now: number): boolean {
    return now < this.#endsAt;
  }

  /** Whether a request sent now may be counted in the service's next window. */
  #isOver(now: number): boolean {
    return this.#isCurrent(now) && now > this.#endsAt - 2 * this.#marginMs;
  }

  /** Among tenants, the whole window is divided: otherwise each plan would take its share of what other processes have left. */
  #shareLeft(now: number): number {
    const left = this.#left(now);
    if (!this.#isDivided) return this.#share * left;
    const isCurrent = this.#isCurrent(now);
    const own = isCurrent ? this.#spent.reduce((sum, each) => sum + each, 0) : 0;
    return Math.min(left, this.#share * (left + (isCurrent ? this.#taken : 0)) - own);
  }

  #left(now: number): number {
    return this.#size.requests - (this.#isCurrent(now) ? this.#taken : 0) - this.#pending;
  }

  /** How many requests a request leaves to lower ranks and to other tenants. */
  #toOthers(now: number, isPoll: boolean, leave: number): number {
    return isPoll ? Math.max(leave, this.#reserve(now)) : Math.min(leave, RESERVE * this.#size.requests);
  }

  #reserve(now: number): number {
    const { requests, windowMs } = this.#size;
    const leftMs = this.#isCurrent(now) ? this.#endsAt - 2 * this.#marginMs - now : windowMs;
    return Math.floor(RESERVE * requests * Math.min(1, Math.max(0, leftMs / windowMs)));
  }
}
