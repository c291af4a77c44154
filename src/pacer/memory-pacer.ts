import type { Clock } from "../clock/clock.js";
import { onAbort } from "../clock/on-abort.js";
import { Heap } from "./heap.js";
import type { PacedRequest, Pacer, RequestKind } from "./pacer.js";
import { type Budget, RateWindow } from "./rate-window.js";
import { ReadGaps } from "./read-gaps.js";
import { ReadSchedule } from "./read-schedule.js";
import { SteadyClock } from "./steady-clock.js";
import { expiresBefore, isDueBefore, type Waiting } from "./waiting.js";
import type { Claimant } from "./window.js";

/** Who claims what a window holds, those who go ahead first. */
const CLAIMANTS: Readonly<Record<RequestKind, Claimant>> = { create: 0, account: 0, read: 1, poll: 2 };
/** How long the price of a read stands: a quarter of what is left of its window, within these. */
const PRICE_LASTS_MS = { shortest: 1000, longest: 10_000 };

/** A pacer whose budget may change by itself. */
export interface MemoryPacer extends Pacer {
  /** Looks again who may leave now. */
  lookAgain(): void;
}

/**
 * A pacer for the requests of one process. Requests wait in heaps (until they are due, for their turn, for the
 * end of their time) and share one timer; one that is settled is dropped where it is met next.
 */
export function createMemoryPacer(callersClock: Clock, window: Budget = new RateWindow()): MemoryPacer {
  const clock = new SteadyClock(callersClock);
  const schedule = new ReadSchedule();
  const gaps = new ReadGaps();
  const upcoming = new Heap<Waiting>(isDueBefore);
  const ready = [new Heap(isDueBefore), new Heap(isDueBefore), new Heap(isDueBefore)] as const;
  const [firsts, reads, polls] = ready;
  const expiring = new Heap<Waiting>(expiresBefore);
  let arrivals = 0;
  let waitingPolls = 0;
  let pricedAt = Number.NEGATIVE_INFINITY;
  let alarm: { at: number; controller: AbortController } | null = null;

  return {
    admit: (request, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const now = clock.now();
        if (isHeldTooLong(request, now)) return resolve(false);
        const leave = () => {
          waiting.isSettled = true;
          if (request.kind === "poll") waitingPolls--;
          forget();
        };
        const waiting: Waiting = {
          ...timesOf(request, now),
          request,
          number: arrivals++,
          isSettled: false,
          settle(isAdmitted) {
            leave();
            resolve(isAdmitted);
          },
          fail(reason) {
            leave();
            reject(reason);
          },
        };
        if (request.kind === "poll") waitingPolls++;
        const forget = onAbort(signal, () => {
          waiting.fail(signal?.reason);
          advance();
        });
        upcoming.push(waiting);
        if (request.notAfter !== undefined) expiring.push(waiting);
        advance(now);
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
      schedule.learn(onSteadyClock(task, now), now, isOver);
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

  function timesOf(request: PacedRequest, now: number) {
    const notBefore = clock.fromClock(request.notBefore ?? 0);
    const notAfter = clock.fromClock(request.notAfter ?? Number.POSITIVE_INFINITY);
    const reader =
      request.task === undefined ? null : schedule.reader(onSteadyClock(request.task, now), notBefore, now);
    const dueAt = reader === null ? Math.max(notBefore, now) : schedule.dueAt(reader);
    return { notBefore, notAfter, reader, dueAt };
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
    if (waitingPolls > 0 && now >= priceEndsAt(now)) setPrice(now);
    for (let due = next(upcoming); due !== undefined && due.dueAt <= now; due = next(upcoming)) {
      upcoming.pop();
      queue(due, now);
    }
    admitAll(now);
    for (let late = next(expiring); late !== undefined && late.notAfter <= now; late = next(expiring)) {
      expiring.pop()?.settle(false);
    }
    setAlarm(now);
  }

  /** Sets the price of a read for what is left of the window, and with it who is read when. */
  function setPrice(now: number): void {
    pricedAt = now;
    const waiting = [...upcoming.drain(), ...polls.drain()].filter(({ isSettled }) => !isSettled);
    const readers = waiting.map(({ reader }) => reader).filter((reader) => reader !== null);
    schedule.price(readers, window.budgets(now));
    for (const each of waiting) {
      if (each.reader !== null) each.dueAt = Math.max(each.notBefore, schedule.dueAt(each.reader));
      upcoming.push(each);
    }
  }

  /** When the price is to be set anew: never before it is known where the window stands. */
  function priceEndsAt(now: number): number {
    if (!window.isOpen(now)) return Number.POSITIVE_INFINITY;
    if (pricedAt < window.openedAt) return now;
    const leftMs = (window.budgets(now)[0]?.until ?? now) - now;
    return pricedAt + Math.min(PRICE_LASTS_MS.longest, Math.max(PRICE_LASTS_MS.shortest, leftMs / 4));
  }

  /** Queues a due request for its turn, or defers it when its task was read less than a second ago. */
  function queue(waiting: Waiting, now: number): void {
    const soonest = gaps.soonest(waiting.request.taskId, now);
    if (soonest > now) {
      waiting.notBefore = soonest;
      waiting.dueAt = soonest;
      upcoming.push(waiting);
      return;
    }
    ready[CLAIMANTS[waiting.request.kind]].push(waiting);
  }

  function admitAll(now: number): void {
    for (let heap = inTurn(now); heap !== undefined; heap = inTurn(now)) {
      const waiting = heap.pop();
      if (waiting === undefined) return;
      const { kind, taskId } = waiting.request;
      if (gaps.soonest(taskId, now) > now) {
        queue(waiting, now);
        continue;
      }
      window.spend(now, CLAIMANTS[kind]);
      gaps.note(taskId, now);
      waiting.settle(true);
    }
  }

  /** The heap whose first request may leave next: each goes ahead up to its share, and beyond it after all the others. */
  function inTurn(now: number): Heap<Waiting> | undefined {
    if (next(firsts) && window.hasShare(now, 0) && window.admits(now, 0)) return firsts;
    if (next(reads) && window.hasShare(now, 1) && window.admits(now, 1)) return reads;
    if (next(polls) && window.admits(now, 2)) return polls;
    if (next(firsts) && window.admits(now, 0, waitingPolls)) return firsts;
    if (next(reads) && window.admits(now, 1, waitingPolls)) return reads;
    return undefined;
  }

  function isHeldTooLong({ maxHoldMs = Number.POSITIVE_INFINITY }: PacedRequest, now: number): boolean {
    return window.heldUntil - now > maxHoldMs;
  }

  /** Gives up what doesn't stand the hold that has just begun. */
  function giveUpHeld(now: number): void {
    for (const waiting of drainAll()) {
      if (isHeldTooLong(waiting.request, now)) waiting.settle(false);
      else upcoming.push(waiting);
    }
  }

  /** Takes out everybody who still waits. */
  function drainAll(): Waiting[] {
    return [upcoming, ...ready].flatMap((heap) => heap.drain()).filter(({ isSettled }) => !isSettled);
  }

  function setAlarm(now: number): void {
    const isBlocked = ready.some((heap) => next(heap) !== undefined);
    const at = Math.min(
      next(upcoming)?.dueAt ?? Number.POSITIVE_INFINITY,
      next(expiring)?.notAfter ?? Number.POSITIVE_INFINITY,
      isBlocked ? window.nextChange(now) : Number.POSITIVE_INFINITY,
      waitingPolls > 0 ? Math.max(now + 1, priceEndsAt(now)) : Number.POSITIVE_INFINITY,
    );
    if (alarm?.at === at) return;
    alarm?.controller.abort();
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
        for (const waiting of drainAll()) waiting.fail(reason);
      },
    );
  }
}

/** The first request of a heap that still waits. */
function next(heap: Heap<Waiting>): Waiting | undefined {
  while (heap.peek()?.isSettled) heap.pop();
  return heap.peek();
}
