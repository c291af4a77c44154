import { onAbort } from "../time/abort.js";
import type { Clock } from "../time/clock.js";
import type { PacedRequest, Pacer } from "./pacer.js";
import { Queue } from "./queue.js";
import { type Budget, RateWindow } from "./rate-window.js";
import { ReadGaps } from "./read-gaps.js";
import { ReadSchedule, SCOUTS } from "./read-schedule.js";
import { SteadyClock } from "./steady-clock.js";
import { isReader, type RequestTimes, Waiting } from "./waiting.js";
import type { Claimant } from "./window.js";

/** How long the price of a read stands: a quarter of what is left of its window, within these. */
const PRICE_LASTS_MS = { shortest: 1000, longest: 10_000 };

/** A shorter delay, or a smaller change of its end, is not reported, in milliseconds. */
const REPORTED_DELAY_MS = 1000;

/** How long to wait for the first polls of tasks of which only the id is known, before others follow. */
const SCOUTING_MS = 2000;

/** Why an alarm doesn't ring. A reason is given since the one that the platform would make takes the stack down. */
const MOVED = "the alarm was moved";

/** A pacer whose budget may change by itself. */
export interface MemoryPacer extends Pacer {
  /** Looks again who may leave now. */
  lookAgain(): void;
}

/** A pacer for the requests of one process. However many wait, they share one timer. */
export function createMemoryPacer(callersClock: Clock, window: Budget = new RateWindow()): MemoryPacer {
  const clock = new SteadyClock(callersClock);
  const schedule = new ReadSchedule();
  const gaps = new ReadGaps();
  const queue = new Queue();
  let arrivals = 0;
  let pricedAt = Number.NEGATIVE_INFINITY;
  let reportedDelayUntil = Number.NEGATIVE_INFINITY;
  let alarm: { at: number; controller: AbortController } | null = null;

  return {
    admit: (request, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const now = clock.now();
        if (isHeldTooLong(request.maxHoldMs, now)) return resolve(false);
        const waiting = new Waiting(request, timesOf(request, now), arrivals++, resolve, reject);
        enter(waiting, signal);
        advance(now);
        if (!waiting.isSettled && waiting.dueAt <= now) reportDelay([waiting], now);
      }),

    report({ taskId, sentAt, remaining, heldForMs }) {
      const now = clock.now();
      window.settle(now, { sentAt: Math.min(now, clock.fromClock(sentAt)), remaining, heldForMs });
      gaps.note(taskId, now);
      if (heldForMs !== null) giveUpHeld(now);
      advance(now);
    },

    learn(task, isOver) {
      const now = clock.now();
      const { resumedAt } = task;
      const known = { ...onSteadyClock(task, now), resumedAt: resumedAt && clock.fromClock(resumedAt) };
      if (!schedule.learn(known, now, isOver)) return;
      pricedAt = Number.NEGATIVE_INFINITY;
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

    lookAgain: () => advance(),
  };

  function enter(waiting: Waiting, signal: AbortSignal | undefined): void {
    waiting.abort = onAbort(signal, () => {
      queue.fail(waiting, signal?.reason);
      advance();
    });
    if (waiting.isUnknown) {
      guess(waiting, queue.unknownPolls);
      if (isReader(waiting)) waiting.dueAt = schedule.dueAt(waiting);
    }
    queue.enter(waiting);
  }

  function timesOf(request: PacedRequest, now: number): RequestTimes {
    const notBefore = clock.fromClock(request.notBefore ?? 0);
    const notAfter = clock.fromClock(request.notAfter ?? Number.POSITIVE_INFINITY);
    const dueBy = clock.fromClock(request.dueBy ?? Number.POSITIVE_INFINITY);
    const task = request.task && onSteadyClock(request.task, now);
    const reader = task === undefined ? null : schedule.reader(task, notBefore, now, dueBy);
    const dueAt = reader === null ? Math.max(notBefore, now) : schedule.dueAt(reader);
    return { notBefore, notAfter, dueBy, reader, dueAt };
  }

  /** A task's times on the pacer's clock; those from before the caller's was set back are taken for now. */
  function onSteadyClock<Task extends { submittedAt: number; unfinishedAt: number }>(
    task: Task,
    now: number,
  ): Task {
    const submittedAt = Math.min(now, clock.fromClock(task.submittedAt));
    return { ...task, submittedAt, unfinishedAt: Math.min(now, clock.fromClock(task.unfinishedAt)) };
  }

  /** Lets everything leave that may leave now, gives up what is too late, and sets the timer for the rest. */
  function advance(now = clock.now()): void {
    if (queue.waitingPolls > 0 && now >= priceEndsAt(now)) setPrice(now);
    for (let due = queue.takeDue(now); due !== undefined; due = queue.takeDue(now)) lineUp(due, now);
    admitAll(now);
    for (let late = queue.takeLate(now); late !== undefined; late = queue.takeLate(now)) {
      queue.settle(late, false);
    }
    const delayedUntil = queue.isLinedUp(0) ? (delayEnd(now) ?? 0) : 0;
    if (delayedUntil >= reportedDelayUntil + REPORTED_DELAY_MS) {
      // Also without anything to report: listing all waiting requests takes longer the more there are.
      reportedDelayUntil = delayedUntil;
      reportDelay(queue.linedUp(0), now);
    }
    setAlarm(now);
  }

  /** When the budget is expected to be replenished; `null` where that is not known. */
  function delayEnd(now: number): number | null {
    const { heldUntil, resetAt } = window.state(now);
    return heldUntil ?? resetAt ?? (window.isOpen(now) ? window.nextChange(now) : null);
  }

  function reportDelay(delayed: readonly Waiting[], now: number): void {
    const until = delayEnd(now);
    if (until === null || until < now + REPORTED_DELAY_MS) return;
    for (const { onDelayed } of delayed) {
      if (onDelayed === undefined) continue;
      reportedDelayUntil = until;
      onDelayed(clock.toClock(until));
    }
  }

  /** Sets the price of a read for what is left of the window, and with it who is read when. */
  function setPrice(now: number): void {
    pricedAt = now;
    const waiting = queue.takePolls();
    let unknown = 0;
    for (const each of waiting) if (each.isUnknown) guess(each, unknown++);
    const readers = waiting.filter(isReader);
    schedule.price(readers, window.budgets(now));
    if (!schedule.isFree) for (const each of schedule.explore(readers, now)) each.isExploring = true;
    for (const each of waiting) {
      if (isReader(each)) each.dueAt = each.isExploring ? each.notBefore : schedule.dueAt(each);
      queue.putOff(each);
    }
  }

  /** Of tasks of which only the id is known, a few are read first: they show how old the others probably are. */
  function guess(waiting: Waiting, place: number): void {
    Object.assign(waiting, schedule.guess(place, waiting.notBefore));
    if (!isReader(waiting)) waiting.dueAt = waiting.notBefore + SCOUTING_MS * Math.floor(place / SCOUTS);
  }

  /** When the price is to be set anew: never before it is known where the window stands. */
  function priceEndsAt(now: number): number {
    if (!window.isOpen(now)) return Number.POSITIVE_INFINITY;
    if (pricedAt < window.openedAt) return now;
    const leftMs = (window.budgets(now)[0]?.until ?? now) - now;
    return pricedAt + Math.min(PRICE_LASTS_MS.longest, Math.max(PRICE_LASTS_MS.shortest, leftMs / 4));
  }

  /** Lets a due request wait for its turn, or puts it off when its task was read less than a second ago. */
  function lineUp(waiting: Waiting, now: number): void {
    const soonest = gaps.soonest(waiting.taskId, now);
    if (soonest <= now) {
      queue.lineUp(waiting);
      return;
    }
    waiting.notBefore = soonest;
    waiting.dueAt = soonest;
    queue.putOff(waiting);
  }

  function admitAll(now: number): void {
    for (let rank = inTurn(now); rank !== undefined; rank = inTurn(now)) {
      const waiting = queue.takeFirst(rank);
      if (waiting === undefined) return;
      if (gaps.soonest(waiting.taskId, now) > now) {
        lineUp(waiting, now);
        continue;
      }
      window.spend(now, rank);
      gaps.note(waiting.taskId, now);
      queue.settle(waiting, true);
    }
  }

  /** The rank of who may leave next: each goes ahead up to its share, and beyond it after all the others. */
  function inTurn(now: number): Claimant | undefined {
    const polls = queue.waitingPolls;
    if (queue.isLinedUp(0) && window.hasShare(now, 0) && window.admits(now, 0)) return 0;
    if (queue.isLinedUp(1) && window.hasShare(now, 1) && window.admits(now, 1)) return 1;
    if (queue.isLinedUp(2) && window.admits(now, 2)) return 2;
    if (queue.isLinedUp(0) && window.admits(now, 0, polls)) return 0;
    if (queue.isLinedUp(1) && window.admits(now, 1, polls)) return 1;
    return undefined;
  }

  function isHeldTooLong(maxHoldMs = Number.POSITIVE_INFINITY, now: number): boolean {
    return window.heldUntil - now > maxHoldMs;
  }

  /** Gives up what doesn't stand the hold that has just begun. */
  function giveUpHeld(now: number): void {
    for (const waiting of queue.takeAll()) {
      if (isHeldTooLong(waiting.maxHoldMs, now)) queue.settle(waiting, false);
      else queue.putOff(waiting);
    }
  }

  function setAlarm(now: number): void {
    const isBlocked = queue.isLinedUp(0) || queue.isLinedUp(1) || queue.isLinedUp(2);
    const at = Math.min(
      queue.nextDueAt,
      queue.nextLateAt,
      isBlocked ? window.nextChange(now) : Number.POSITIVE_INFINITY,
      queue.waitingPolls > 0 && !schedule.isFree
        ? Math.max(now + 1, priceEndsAt(now))
        : Number.POSITIVE_INFINITY,
    );
    if (alarm?.at === at) return;
    alarm?.controller.abort(MOVED);
    alarm = at === Number.POSITIVE_INFINITY ? null : { at, controller: new AbortController() };
    if (alarm !== null) ring(alarm.at, alarm.at - now, alarm.controller.signal);
  }

  function ring(at: number, delayMs: number, signal: AbortSignal): void {
    clock.sleep(delayMs, signal).then(
      () => {
        if (signal.aborted) return;
        alarm = null;
        // A clock that wakes without moving its time is believed: asking it again would never end.
        advance(Math.max(at, clock.now()));
      },
      (reason: unknown) => {
        if (signal.aborted) return;
        alarm = null;
        // Without a clock nobody's turn would ever come.
        for (const waiting of queue.takeAll()) queue.fail(waiting, reason);
      },
    );
  }
}
