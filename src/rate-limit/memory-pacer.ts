import { LIMITS } from "../contract/service.js";
import { onAbort } from "../time/abort.js";
import type { Clock } from "../time/clock.js";
import { SteadyClock } from "../time/clock.js";
import type { Pacer, WaitingTask } from "./pacer.js";
import { Queue, type QueueEntry } from "./queue.js";
import { PollSchedule } from "./schedule.js";
import { type PacerWindow, RateWindow } from "./window.js";

const RANKS = { create: 0, account: 0, read: 1, poll: 2 } as const;

/** Polls are planned anew after a quarter of what is left of the window, within these limits. */
const PLAN_LASTS_MS = { shortest: 1000, longest: 10_000 };

/** How long a read may take until the service counts it: while it is in flight, the next one waits for so much longer. */
const READ_TRAVEL_MS = 1000;

/** Delays shorter than this, and smaller changes of their end, are not reported. */
const REPORTED_DELAY_MS = 1000;

/** The abort reason of a replaced timer. Without it, the platform creates an error with a stack trace each time. */
const REPLACED = "the timer was replaced";

export interface MemoryPacer extends Pacer {
  /** Admits what the window allows, after a change that the pacer did not cause. */
  advance(): void;
}

/** A pacer for the requests of one process. All waiting requests share one timer. */
export function createMemoryPacer(callersClock: Clock, window: PacerWindow = new RateWindow()): MemoryPacer {
  const clock = new SteadyClock(callersClock);
  const schedule = new PollSchedule();
  const queue = new Queue();
  /** When the last read of each task was sent or its response came, for those of the last seconds. */
  const lastReads = new Map<string, { at: number; isInFlight: boolean }>();
  let entries = 0;
  /** When polls were planned, and in which window. */
  let planned = { at: Number.NEGATIVE_INFINITY, openedAt: Number.NEGATIVE_INFINITY };
  let reportedDelayUntil = Number.NEGATIVE_INFINITY;
  let timer: { at: number; controller: AbortController } | null = null;

  return {
    admit: (request, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const now = clock.now();
        const { maxHoldMs = Number.POSITIVE_INFINITY, task } = request;
        if (window.heldUntil - now > maxHoldMs) return resolve(false);
        const notBefore = clock.fromClock(request.notBefore ?? 0);
        const entry: QueueEntry = {
          rank: RANKS[request.kind],
          number: entries++,
          taskId: request.taskId,
          task: null,
          notBefore,
          dueBy: clock.fromClock(request.dueBy ?? Number.POSITIVE_INFINITY),
          dueAt: Math.max(notBefore, now),
          notAfter: clock.fromClock(request.notAfter ?? Number.POSITIVE_INFINITY),
          maxHoldMs,
          onDelayed: request.onDelayed,
          isRemoved: false,
          abort: null,
          resolve,
          reject,
        };
        if (request.kind === "poll") schedule.enter(entry, task && onSteadyClock(task, now), now);
        entry.abort = onAbort(signal, () => {
          queue.remove(entry).reject(signal?.reason);
          advance();
        });
        queue.add(entry);
        advance(now);
        if (!entry.isRemoved && entry.dueAt <= now) reportDelay([entry], now);
      }),

    report({ taskId, sentAt, remaining, heldForMs }) {
      const now = clock.now();
      window.record(now, { sentAt: Math.min(now, clock.fromClock(sentAt)), remaining, heldForMs });
      if (taskId !== undefined) noteRead(taskId, now, false);
      if (heldForMs !== null) {
        for (const entry of queue.entries(0, 1, 2))
          if (window.heldUntil - now > entry.maxHoldMs) queue.remove(entry).resolve(false);
      }
      advance(now);
    },

    learn(task, isFinished) {
      const now = clock.now();
      if (!schedule.learn(onSteadyClock(task, now), now, isFinished)) return;
      planned.at = Number.NEGATIVE_INFINITY;
      advance(now);
    },

    rateLimit() {
      const state = window.state(clock.now());
      const { resetAt, heldUntil } = state;
      return {
        ...state,
        resetAt: resetAt && clock.toClock(resetAt),
        heldUntil: heldUntil && clock.toClock(heldUntil),
      };
    },

    advance: () => advance(),
  };

  /** Times from before the caller's clock was set back count as now. */
  function onSteadyClock(task: WaitingTask, now: number): WaitingTask {
    return {
      ...task,
      submittedAt: Math.min(now, clock.fromClock(task.submittedAt)),
      unfinishedAt: Math.min(now, clock.fromClock(task.unfinishedAt)),
      resumedAt: task.resumedAt && clock.fromClock(task.resumedAt),
    };
  }

  /** Admits what may be sent now, refuses what has expired, and sets the timer for the rest. */
  function advance(now = clock.now()): void {
    if (queue.polls > 0 && now >= planEndsAt(now)) {
      planned = { at: now, openedAt: window.openedAt };
      schedule.plan(queue.entries(2), window.budget(now));
      queue.reorderPolls();
    }
    admitDue(now);
    if (now >= queue.nextExpiry) for (const entry of queue.takeExpired(now)) entry.resolve(false);
    const isDelayed = (queue.first(0)?.dueAt ?? Number.POSITIVE_INFINITY) <= now;
    const delayedUntil = isDelayed ? (delayEnd(now) ?? 0) : 0;
    if (delayedUntil >= reportedDelayUntil + REPORTED_DELAY_MS) {
      // Set even if nothing is reported, since listing all waiting requests at each call would be slow.
      reportedDelayUntil = delayedUntil;
      reportDelay(queue.entries(0), now);
    }
    setTimer(now);
  }

  /** When the plan of polls must be replaced: at once in a new window, and never while it is unknown how far the window is. */
  function planEndsAt(now: number): number {
    if (!window.isOpen(now)) return Number.POSITIVE_INFINITY;
    if (planned.openedAt !== window.openedAt) return now;
    const { shortest, longest } = PLAN_LASTS_MS;
    const leftMs = window.budget(now).until - now;
    return planned.at + Math.min(longest, Math.max(shortest, leftMs / 4));
  }

  function admitDue(now: number): void {
    for (let entry = nextEntry(now); entry !== undefined; entry = nextEntry(now)) {
      const { taskId, rank } = entry;
      const readableAt = taskId === undefined ? now : nextReadOf(taskId, now);
      if (readableAt > now) {
        queue.postpone(entry, readableAt);
        continue;
      }
      window.spend(now, rank);
      if (taskId !== undefined) noteRead(taskId, now, true);
      queue.remove(entry).resolve(true);
    }
  }

  /** The entry to admit next: each rank comes first up to its share of the window, and after all others beyond it. */
  function nextEntry(now: number): QueueEntry | undefined {
    let beyondShare: QueueEntry | undefined;
    for (const rank of [0, 1, 2] as const) {
      const entry = queue.first(rank);
      if (entry === undefined || entry.dueAt > now) continue;
      const isWithinShare = rank === 2 || window.shareLeft(now, rank) > 0;
      if (isWithinShare && window.admits(now, rank)) return entry;
      if (!isWithinShare && window.admits(now, rank, queue.polls)) beyondShare ??= entry;
    }
    return beyondShare;
  }

  /** When the task may be read again: a second after the service has counted the last read. */
  function nextReadOf(taskId: string, now: number): number {
    const { at, isInFlight } = lastReads.get(taskId) ?? { at: Number.NEGATIVE_INFINITY, isInFlight: false };
    const readableAt = at + LIMITS.shortestPollIntervalMs;
    // Decided when that second is over: by then, the response has usually come.
    return isInFlight && readableAt <= now ? readableAt + READ_TRAVEL_MS : readableAt;
  }

  /** A read of the task was sent, or its response came: the service counted it at a time in between. */
  function noteRead(taskId: string, now: number, isInFlight: boolean): void {
    lastReads.delete(taskId);
    lastReads.set(taskId, { at: now, isInFlight });
    for (const [id, { at }] of lastReads) {
      if (now - at < LIMITS.shortestPollIntervalMs + READ_TRAVEL_MS) break;
      lastReads.delete(id);
    }
  }

  /** When more requests are expected to be sent; `null` if that is unknown. */
  function delayEnd(now: number): number | null {
    const { heldUntil, resetAt } = window.state(now);
    return heldUntil ?? resetAt ?? (window.isOpen(now) ? window.nextChange(now) : null);
  }

  function reportDelay(delayed: readonly QueueEntry[], now: number): void {
    const until = delayEnd(now);
    if (until === null || until < now + REPORTED_DELAY_MS) return;
    for (const { onDelayed, dueAt } of delayed) {
      if (onDelayed === undefined || dueAt > now) continue;
      reportedDelayUntil = until;
      onDelayed(clock.toClock(until));
    }
  }

  function setTimer(now: number): void {
    let at = queue.size > 0 ? queue.nextExpiry : Number.POSITIVE_INFINITY;
    if (queue.polls > 0 && !schedule.isFree) at = Math.min(at, Math.max(now + 1, planEndsAt(now)));
    for (const rank of [0, 1, 2] as const) {
      const dueAt = queue.first(rank)?.dueAt ?? Number.POSITIVE_INFINITY;
      at = Math.min(at, dueAt > now ? dueAt : window.nextChange(now));
    }
    if (timer?.at === at) return;
    timer?.controller.abort(REPLACED);
    timer = at === Number.POSITIVE_INFINITY ? null : { at, controller: new AbortController() };
    if (timer !== null) startTimer(timer.at, timer.at - now, timer.controller.signal);
  }

  function startTimer(at: number, delayMs: number, signal: AbortSignal): void {
    clock.sleep(delayMs, signal).then(
      () => {
        if (signal.aborted) return;
        timer = null;
        // If the sleep of a clock ends without moving its time, the timer must not be set for the same time again.
        advance(Math.max(at, clock.now()));
      },
      (reason: unknown) => {
        if (signal.aborted) return;
        timer = null;
        for (const entry of queue.entries(0, 1, 2)) queue.remove(entry).reject(reason);
      },
    );
  }
}
