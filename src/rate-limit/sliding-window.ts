import { LIMITS } from "../contract/service.js";
import { IN_FLIGHT_MS, type KeyUse } from "./key-use.js";
import { REMAINING_TOLERANCE } from "./other-processes.js";
import { OwnWindow } from "./own-window.js";
import type { PollBudget, Rank, WindowReport } from "./window.js";

/**
 * It is spent in parts of this length: as a whole, "0.3 a second, sliding" (tools/pacing/scenarios.ts) takes 1.8 times as
 * long.
 */
const PART_MS = 5000;

/** A window that counts the requests of the last minute. */
export class SlidingWindow extends OwnWindow {
  readonly isSliding = true;

  constructor(key: KeyUse, now: number) {
    super(key);
    this.openedAt = now;
    this.endsAt = now + PART_MS;
  }

  override spend(now: number, rank: Rank): void {
    if (now >= this.endsAt) {
      this.endsAt = now + PART_MS;
      this.spent = [0, 0, 0];
    }
    // While other processes are expected, polls are sent one by one.
    if (rank === 2) this.key.others.spendPoll(now, this.key.inFlight, 0);
    super.spend(now, rank);
  }

  /** What is released until its next part counts as well. */
  override budget(now: number): PollBudget {
    const budget = super.budget(now, now + PART_MS);
    const released = this.key.counted.within(now, LIMITS.windowMs, LIMITS.windowMs - PART_MS);
    return { ...budget, polls: budget.polls + released, from: now };
  }

  learn(now: number, { remaining }: WindowReport): boolean {
    if (remaining === null) return true;
    const { inFlight, counted, limit } = this.key;
    this.key.limitSeenAt = now;
    return inFlight > 0 || counted.explain(now, limit - remaining, REMAINING_TOLERANCE);
  }

  protected left(now: number): number {
    return this.key.limit - this.key.counted.within(now, LIMITS.windowMs) - this.key.inFlight;
  }

  override nextChange(now: number, leave = 0): number {
    return this.isOpen(now) && this.left(now) <= leave ? now + IN_FLIGHT_MS : super.nextChange(now, leave);
  }

  protected override get quota(): number {
    return (this.key.limit * PART_MS) / LIMITS.windowMs;
  }
}
