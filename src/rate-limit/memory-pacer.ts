import { onAbort } from "../time/abort.js";
import type { Clock } from "../time/clock.js";
import { SteadyClock } from "../time/clock.js";
import { KeyWindow } from "./key-window.js";
import type {
  PacedRequest,
  Pacer,
  RateLimitReport,
  RateLimitState,
  TaskEstimate,
  WaitingTask,
} from "./pacer.js";
import { Queue, type QueueEntry } from "./queue.js";
import { PollSchedule } from "./schedule.js";
import { TaskReads } from "./task-reads.js";
import { type Fairness, Tenants } from "./tenants.js";
import { Timer } from "./timer.js";
import type { PacerWindow, Rank, WindowChoice } from "./window.js";

const RANKS = { create: 0, account: 0, read: 1, poll: 2 } as const;
const EACH_RANK: readonly Rank[] = [0, 1, 2];

/** Polls are planned anew after a quarter of what is left of the window, within these limits. */
const PLAN_LASTS_MS = { shortest: 1000, longest: 10_000 };

/** Delays shorter than this, and smaller changes of their end, are not reported. */
const REPORTED_DELAY_MS = 1000;

/**
 * A pacer for the requests of one process. Requests wait in a queue, polls by a schedule, until the window admits them. All
 * of them share one timer.
 */
export class MemoryPacer implements Pacer {
  readonly #clock: SteadyClock;
  readonly #windows: WindowChoice;
  readonly tenants: Tenants = new Tenants();
  readonly schedule: PollSchedule = new PollSchedule(this.tenants);
  readonly #queue = new Queue();
  readonly #reads = new TaskReads();
  readonly #timer: Timer;
  /** When polls were planned, and in which window. */
  #plan = { at: Number.NEGATIVE_INFINITY, openedAt: Number.NEGATIVE_INFINITY };
  #reportedDelayUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, windows: WindowChoice = new KeyWindow()) {
    this.#clock = new SteadyClock(clock);
    this.#windows = windows;
    this.#timer = new Timer(
      this.#clock,
      (now) => this.advance(now),
      (reason) => this.#rejectAll(reason),
    );
  }

  // Its methods are properties, so that a caller can replace one of them: `{ ...pacer, admit }`.

  readonly admit = (request: PacedRequest, signal?: AbortSignal): Promise<boolean> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const now = this.#clock.now();
      const { kind, taskId, task, maxHoldMs = Number.POSITIVE_INFINITY, onDelayed } = request;
      if (this.#window.heldUntil - now > maxHoldMs) return resolve(false);
      const notBefore = this.#clock.fromClock(request.notBefore ?? 0);
      const entry: QueueEntry = {
        rank: RANKS[kind],
        number: 0,
        tenant: this.tenants.get(request.tenant, now),
        taskId,
        task: null,
        notBefore,
        dueBy: this.#clock.fromClock(request.dueBy ?? Number.POSITIVE_INFINITY),
        dueAt: Math.max(notBefore, now),
        notAfter: this.#clock.fromClock(request.notAfter ?? Number.POSITIVE_INFINITY),
        maxHoldMs,
        onDelayed,
        delayedUntil: Number.NEGATIVE_INFINITY,
        isRemoved: false,
        abort: null,
        resolve,
        reject,
      };
      if (kind === "poll") this.schedule.enter(entry, task && this.#onSteadyClock(task, now), now);
      entry.abort = onAbort(signal, () => {
        this.#queue.remove(entry).reject(signal?.reason);
        try {
          this.advance();
        } catch (error) {
          this.#rejectAll(error);
        }
      });
      this.#queue.add(entry);
      this.advance(now);
      if (!entry.isRemoved) this.#reportDelay([entry], now);
    });

  readonly report = ({ taskId, unsent, tenant, ...stated }: RateLimitReport): void => {
    const now = this.#clock.now();
    const { heldForMs } = stated;
    const sentAt = Math.min(now, this.#clock.fromClock(stated.sentAt));
    if (unsent !== undefined) this.tenants.byName.get(tenant)?.spend(sentAt, -1);
    this.#windows.report(now, { ...stated, sentAt, unsent: unsent && RANKS[unsent] });
    if (taskId !== undefined) this.#reads.note(taskId, now, false);
    if (heldForMs !== null) this.#refuseHeld(now);
    this.advance(now);
  };

  readonly learn = (task: WaitingTask, isFinished: boolean): void => {
    const now = this.#clock.now();
    if (!this.schedule.learn(this.#onSteadyClock(task, now), now, isFinished)) return;
    this.#plan.at = Number.NEGATIVE_INFINITY;
    this.advance(now);
  };

  readonly estimate = (task: WaitingTask): TaskEstimate | null => {
    const now = this.#clock.now();
    return this.schedule.estimate(this.#onSteadyClock(task, now), now);
  };

  readonly rateLimit = (): RateLimitState => {
    const state = this.#window.state(this.#clock.now());
    const { resetAt, heldUntil } = state;
    return {
      ...state,
      resetAt: resetAt && this.#clock.toClock(resetAt),
      heldUntil: heldUntil && this.#clock.toClock(heldUntil),
    };
  };

  /** Admits what may be sent now, refuses what has expired, and sets the timer for the rest. */
  advance(now: number = this.#clock.now()): void {
    this.#planPolls(now);
    this.#admitDue(now);
    for (const entry of this.#queue.takeExpired(now)) entry.resolve(false);
    if (this.#queue.size > 0) this.#reportDelays(now);
    this.#timer.set(this.#nextAdvance(now), now);
  }

  /** The clock has failed. */
  #rejectAll(reason: unknown): void {
    for (const entry of this.#queue.entries(...EACH_RANK)) this.#queue.remove(entry).reject(reason);
  }

  get #window(): PacerWindow {
    return this.#windows.current;
  }

  /** Times from before the caller's clock was set back count as now. */
  #onSteadyClock(task: WaitingTask, now: number): WaitingTask {
    return {
      ...task,
      submittedAt: Math.min(now, this.#clock.fromClock(task.submittedAt)),
      unfinishedAt: Math.min(now, this.#clock.fromClock(task.unfinishedAt)),
      resumedAt: task.resumedAt && this.#clock.fromClock(task.resumedAt),
    };
  }

  /** After a 429: refuses the requests that do not wait for so long. */
  #refuseHeld(now: number): void {
    const heldForMs = this.#window.heldUntil - now;
    for (const entry of this.#queue.entries(...EACH_RANK))
      if (heldForMs > entry.maxHoldMs) this.#queue.remove(entry).resolve(false);
  }

  #planPolls(now: number): void {
    if (this.#queue.polls === 0 || now < this.#planEndsAt(now)) return;
    this.#plan = { at: now, openedAt: this.#window.openedAt };
    this.schedule.plan(this.#queue.entries(2), this.#window.budget(now), this.#fairness(now));
    this.#queue.reorderPolls();
  }

  /** When the plan of polls must be replaced: at once in a new window, and never while it is unknown how far the window is. */
  #planEndsAt(now: number): number {
    if (!this.#window.isOpen(now)) return Number.POSITIVE_INFINITY;
    if (this.#plan.openedAt !== this.#window.openedAt) return now;
    const { shortest, longest } = PLAN_LASTS_MS;
    const leftMs = this.#window.budget(now).until - now;
    return this.#plan.at + Math.min(longest, Math.max(shortest, leftMs / 4));
  }

  #admitDue(now: number): void {
    for (let entry = this.#nextEntry(now); entry !== undefined; entry = this.#nextEntry(now)) {
      const { taskId, tenant, rank, abort } = entry;
      // The callbacks of a signal that many requests share run one after the other: this one's may follow.
      if (abort?.signal?.aborted) {
        this.#queue.remove(entry).reject(abort.signal.reason);
        continue;
      }
      const readableAt = taskId === undefined ? now : this.#reads.nextAt(taskId, now);
      if (readableAt > now) {
        entry.notBefore = readableAt;
        this.#queue.postpone(entry, readableAt);
        continue;
      }
      this.#windows.spend(now, rank);
      tenant.spend(now);
      if (taskId !== undefined) this.#reads.note(taskId, now, true);
      if (taskId !== undefined && rank === 2) tenant.notePoll(taskId, now);
      this.#queue.take(entry).resolve(true);
    }
  }

  /** What tenants leave to each other; `null` without tenants. */
  #fairness(now: number): Fairness | null {
    if (!this.tenants.areNamed) return null;
    return this.tenants.fairness(this.#window.budget(now), this.#queue.tenants);
  }

  /**
   * The entry to admit next: each rank comes first up to its share of the window, and after all others beyond it. A tenant that
   * has not had its part of the window comes first in any case; one that has had it leaves some requests to the others.
   */
  #nextEntry(now: number): QueueEntry | undefined {
    if (this.#queue.size === 0 || !this.#window.admits(now, 0)) return undefined;
    const fairness = this.#fairness(now);
    const leave = fairness?.reserve ?? 0;
    let beyondShare: QueueEntry | undefined;
    for (const rank of EACH_RANK) {
      for (const entry of this.#queue.heads(rank)) {
        if (entry.dueAt > now) continue;
        if (fairness !== null && fairness.untilAhead(entry.tenant) > 0) {
          if (this.#window.admits(now, 0)) return entry;
          continue;
        }
        if (rank === 2 && this.schedule.isExhausted(entry.tenant, now)) continue;
        const isWithinShare = rank === 2 || this.#window.shareLeft(now, rank) > 0;
        if (isWithinShare && this.#window.admits(now, rank, leave)) return entry;
        const leaveToLower = Math.max(leave, this.#queue.polls);
        if (!isWithinShare && this.#window.admits(now, rank, leaveToLower)) beyondShare ??= entry;
      }
    }
    return beyondShare;
  }

  /** When more requests are expected to be sent; `null` if that is unknown. */
  #delayEnd(now: number): number | null {
    const { heldUntil, resetAt } = this.#window.state(now);
    return heldUntil ?? resetAt ?? (this.#window.isOpen(now) ? this.#windows.nextChange(now) : null);
  }

  /** Reports the delay of all requests again when its end has changed. */
  #reportDelays(now: number): void {
    const isDelayed = this.#queue.dueIn(0, now).isDue;
    const until = isDelayed ? (this.#delayEnd(now) ?? 0) : 0;
    if (until < this.#reportedDelayUntil + REPORTED_DELAY_MS) return;
    // Set even if nothing is reported, since listing all waiting requests at each call would be slow.
    this.#reportedDelayUntil = until;
    this.#reportDelay(this.#queue.entries(0), now);
  }

  #reportDelay(delayed: readonly QueueEntry[], now: number): void {
    const until = this.#delayEnd(now);
    if (until === null || until < now + REPORTED_DELAY_MS) return;
    for (const entry of delayed) {
      const { onDelayed, dueAt, delayedUntil } = entry;
      if (onDelayed === undefined || dueAt > now || until < delayedUntil + REPORTED_DELAY_MS) continue;
      entry.delayedUntil = until;
      this.#reportedDelayUntil = until;
      onDelayed(this.#clock.toClock(until));
    }
  }

  #nextAdvance(now: number): number {
    if (this.#queue.size === 0) return Number.POSITIVE_INFINITY;
    let at = this.#queue.nextExpiry;
    if (this.#queue.polls > 0 && !this.schedule.isFree)
      at = Math.min(at, Math.max(now + 1, this.#planEndsAt(now)));
    const { reserve = 0, leftoversAt = 0 } = this.#fairness(now) ?? {};
    if (leftoversAt > now) at = Math.min(at, leftoversAt);
    for (const rank of EACH_RANK) {
      const { isDue, next } = this.#queue.dueIn(rank, now);
      at = Math.min(at, next, isDue ? this.#windows.nextChange(now, reserve) : next);
    }
    return at;
  }
}
