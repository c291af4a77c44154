import { Demand } from "../rate-limit/demand.js";
import type { Budget } from "../rate-limit/rate-window.js";
import { type Correction, type FleetSize, marginOf, type Taking } from "./fleet-budget.js";

type Claimant = Parameters<Budget["hasShare"]>[1];
type Settlement = Parameters<Budget["settle"]>[1];

/** Share of what leaves from here, up to which each claimant goes ahead of those behind it. */
const SHARES = [0.45, 0.25, 1] as const;
/** Share of a fresh window for which nobody asks whether it is within its share. */
const HEAD_START = 0.1;
/** Share of a fresh window that polls leave to all creates and account reads of the fleet; it is set free evenly. */
const RESERVE = 0.25;
/** So many requests of this process are asked for at once: the others' turns come in between. */
const MOST_ASKED = 4;
/** How long an answer of the fleet is waited for before others ask, in milliseconds. */
const PATIENCE_MS = 2000;
/** What is reserved is set free in steps no shorter than this, in milliseconds. */
const SHORTEST_STEP_MS = 50;

/**
 * The fleet's window as this process last saw it: enough to know when there is no use in asking, and how much to plan
 * with. Whether a request leaves is then decided where the whole fleet asks.
 */
export class FleetWindow implements Budget {
  readonly #size: FleetSize;
  readonly #beforePlanning: () => void;
  readonly #marginMs: number;
  readonly #firsts = new Demand();
  /** When this process asked first in this window: what it sent later was counted in it. */
  #openedAt = Number.NEGATIVE_INFINITY;
  #endsAt = Number.NEGATIVE_INFINITY;
  #heldUntil = 0;
  #taken = 0;
  #asked = 0;
  /** Whether the window's first request is ours, and no answer has come yet. */
  #isOpener = false;
  #spent: [number, number, number] = [0, 0, 0];
  /** Which part of the fleet's waiting tasks is this process's. */
  #part = 1;

  /** @param beforePlanning - called when somebody is about to plan with this window */
  constructor(size: FleetSize, beforePlanning: () => void) {
    this.#size = size;
    this.#beforePlanning = beforePlanning;
    this.#marginMs = marginOf(size);
  }

  get heldUntil(): number {
    return this.#heldUntil;
  }

  get openedAt(): number {
    return this.#openedAt;
  }

  /** Where the window is over, the next one is there for the fleet as soon as somebody asks: it can be planned with. */
  isOpen(now: number): boolean {
    return now >= this.#heldUntil;
  }

  hasShare(_now: number, claimant: Claimant): boolean {
    const headStart = HEAD_START * this.#size.requests;
    return this.#spent[claimant] < SHARES[claimant] * (this.#own + headStart);
  }

  admits(now: number, claimant: Claimant, leave = 0): boolean {
    if (now < this.#heldUntil || this.#asked >= MOST_ASKED || this.#isOver(now)) return false;
    const toOthers = claimant === 2 ? this.#reserve(now) : Math.min(leave, RESERVE * this.#size.requests);
    return this.#left(now) > toOthers;
  }

  /** So many requests of the window may be taken when one of a claimant is. */
  ceiling(now: number, isPoll: boolean): number {
    return this.#size.requests - (isPoll ? this.#reserve(now) : 0);
  }

  nextChange(now: number): number {
    if (now < this.#heldUntil) return this.#heldUntil;
    if (!this.#isCurrent(now) || this.#asked >= MOST_ASKED) return now + PATIENCE_MS;
    if (this.#left(now) <= 0 || this.#isOver(now)) return this.#endsAt;
    const nextRelease = (this.#endsAt - now) / (1 + this.#reserve(now));
    return Math.min(this.#endsAt, now + Math.max(SHORTEST_STEP_MS, nextRelease));
  }

  /** Of what the fleet has left, as much as is this process's part, but for its own creates. */
  budgets(now: number): ReturnType<Budget["budgets"]> {
    this.#beforePlanning();
    const { requests, windowMs } = this.#size;
    const endsAt = this.#isCurrent(now) ? this.#endsAt : now + windowMs + this.#marginMs;
    const until = Math.max(now, endsAt - 2 * this.#marginMs);
    const reads = Math.max(0, this.#part * this.#left(now) - this.#firsts.within(now, until - now));
    const next = Math.max(0, this.#part * requests - this.#firsts.within(now, windowMs));
    return [
      { reads, now, until },
      { reads: reads + next, now, until: until + windowMs + this.#marginMs },
    ];
  }

  spend(now: number, claimant: Claimant): void {
    this.#asked++;
    this.#spent[claimant]++;
    if (claimant === 0) this.#firsts.note(now);
  }

  settle(now: number, { heldForMs }: Settlement): void {
    if (heldForMs === null) return;
    this.#heldUntil = Math.max(this.#heldUntil, now + heldForMs);
    this.#endsAt = this.#heldUntil;
  }

  state(now: number): ReturnType<Budget["state"]> {
    const isOpen = this.#isCurrent(now) && now >= this.#heldUntil;
    return {
      limit: this.#size.requests,
      remaining: isOpen ? Math.max(0, this.#left(now)) : null,
      resetAt: isOpen ? this.#endsAt : null,
      heldUntil: now < this.#heldUntil ? this.#heldUntil : null,
    };
  }

  /** So many tasks wait here, and so many in the whole fleet. */
  weigh(own: number, all: number): void {
    this.#part = Math.max(1, own) / Math.max(1, own, all);
  }

  /** The fleet has answered, or doesn't. */
  answered(): void {
    this.#asked--;
  }

  /** What the fleet answered shows where its window stands; `true` where the request may leave. */
  note({ isTaken, isHeld, taken, endsInMs }: Taking, askedAt: number, now: number): boolean {
    if (isHeld) return false;
    const endsAt = now + endsInMs + 1;
    if (!this.#isCurrent(now) || (taken < this.#taken && endsAt > this.#endsAt + this.#marginMs)) {
      this.#begin(askedAt);
    }
    this.#endsAt = endsAt;
    this.#taken = Math.max(this.#taken, isTaken ? taken : taken - 1);
    if (!isTaken) return false;
    if (taken === 1) this.#isOpener = true;
    // The answer may have been long on its way, and the window nearly over.
    return askedAt + endsInMs >= now + 2 * this.#marginMs;
  }

  /** What the service's answer shows of the window in which its request left; `null` where it's as it should be. */
  correct(now: number, sentAt: number, remaining: number | null): Correction | null {
    if (sentAt < this.#openedAt || !this.#isCurrent(now)) return null;
    const endsInMs = this.#endsAt - now + this.#marginMs;
    const counted = remaining === null ? 0 : this.#size.requests - remaining;
    // The service's window began no later than now, however long its first request was on its way.
    const isFirst = this.#isOpener && sentAt < this.#openedAt + this.#marginMs;
    const lastsMs = isFirst ? this.#size.windowMs + this.#marginMs : 0;
    this.#isOpener = false;
    if (counted <= this.#taken && now + lastsMs <= this.#endsAt) return null;
    this.#taken = Math.max(this.#taken, counted);
    this.#endsAt = Math.max(this.#endsAt, now + lastsMs);
    return { taken: counted, lastsMs, endsInMs };
  }

  get #own(): number {
    return this.#spent[0] + this.#spent[1] + this.#spent[2];
  }

  #begin(askedAt: number): void {
    this.#spent = [0, 0, 0];
    this.#taken = 0;
    this.#isOpener = false;
    this.#openedAt = askedAt;
  }

  #isCurrent(now: number): boolean {
    return now < this.#endsAt;
  }

  /** Whether the window is open, and what leaves now may be counted in the service's next one. */
  #isOver(now: number): boolean {
    return this.#isCurrent(now) && now > this.#endsAt - 2 * this.#marginMs;
  }

  #left(now: number): number {
    return this.#size.requests - (this.#isCurrent(now) ? this.#taken : 0) - this.#asked;
  }

  #reserve(now: number): number {
    const { requests, windowMs } = this.#size;
    const leftMs = this.#isCurrent(now) ? this.#endsAt - 2 * this.#marginMs - now : windowMs;
    return Math.floor(RESERVE * requests * Math.min(1, Math.max(0, leftMs / windowMs)));
  }
}
