import type { Clock } from "../clock/clock.js";
import { onAbort } from "../clock/on-abort.js";
import { LIMITS } from "../contract/limits.js";
import { Heap } from "./heap.js";
import type { PacedRequest, Pacer, RateLimitReport, RequestKind } from "./pacer.js";
import { RateWindow } from "./rate-window.js";

/** Who goes first when several may leave. */
const RANKS: Readonly<Record<RequestKind, number>> = { create: 0, account: 0, read: 1, poll: 2 };

/** One in so many goes to whoever has been due for longer than a window: no rank is starved by those before it. */
const TURN_OF_THE_OLDEST = 4;

/** A request in the queue. */
interface Waiting {
  request: PacedRequest;
  notBefore: number;
  notAfter: number;
  /** Its place in the order of arrival. */
  number: number;
  settle(admitted: boolean): void;
  fail(reason: unknown): void;
  isSettled: boolean;
}

/**
 * A pacer for the requests of one process. Requests wait in three heaps (until they are due, for their turn, for the
 * end of their time) and share one timer; one that is settled is dropped where it is met next.
 */
export function createMemoryPacer(clock: Clock): Pacer {
  const window = new RateWindow();
  const upcoming = new Heap<Waiting>(isDueBefore);
  const expiring = new Heap<Waiting>((one, other) => one.notAfter < other.notAfter);
  const ready = [0, 1, 2].map(() => new Heap<Waiting>(isDueBefore));
  const lastReads = new Map<string, number>();
  let arrivals = 0;
  let departures = 0;
  let alarm: { at: number; controller: AbortController } | null = null;

  return {
    admit: (request, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isHeldTooLong(request)) return resolve(false);
        const waiting: Waiting = {
          request,
          notBefore: request.notBefore ?? clock.now(),
          notAfter: request.notAfter ?? Number.POSITIVE_INFINITY,
          number: arrivals++,
          isSettled: false,
          settle(admitted) {
            waiting.isSettled = true;
            leave();
            resolve(admitted);
          },
          fail(reason) {
            waiting.isSettled = true;
            leave();
            reject(reason);
          },
        };
        const leave = onAbort(signal, () => {
          waiting.fail(signal?.reason);
          advance();
        });
        upcoming.push(waiting);
        if (request.notAfter !== undefined) expiring.push(waiting);
        advance();
      }),

    report(report: RateLimitReport) {
      const now = clock.now();
      window.settle(now, report);
      noteRead(report, now);
      if (report.heldForMs !== null) releaseHeld();
      advance();
    },

    heldUntil: () => window.heldUntil,
  };

  /** Lets everything leave that may leave now, gives up what is too late, and sets the timer for the rest. */
  function advance(now = clock.now()): void {
    for (let due = next(upcoming); due !== undefined && due.notBefore <= now; due = next(upcoming)) {
      upcoming.pop();
      queue(due, now);
    }
    admitAll(now);
    for (let late = next(expiring); late !== undefined && late.notAfter <= now; late = next(expiring)) {
      expiring.pop()?.settle(false);
    }
    setAlarm(now);
  }

  /** Queues a due request for its turn, or defers it when its task was read less than a second ago. */
  function queue(waiting: Waiting, now: number): void {
    const soonest = soonestRead(waiting.request, now);
    if (soonest > now) upcoming.push(Object.assign(waiting, { notBefore: soonest }));
    else ready[RANKS[waiting.request.kind]]?.push(waiting);
  }

  function admitAll(now: number): void {
    for (let heap = inTurn(now); heap !== undefined; heap = inTurn(now)) {
      const first = heap.pop();
      if (first === undefined) return;
      if (soonestRead(first.request, now) > now) {
        queue(first, now);
        continue;
      }
      window.spend(now);
      departures++;
      noteRead(first.request, now);
      first.settle(true);
    }
  }

  /** The heap whose first request may leave next. */
  function inTurn(now: number): Heap<Waiting> | undefined {
    if (departures % TURN_OF_THE_OLDEST === 0 && window.admits(now, false)) {
      const overdue = ready.filter((heap) => (next(heap)?.notBefore ?? now) < now - LIMITS.windowMs);
      const oldest = overdue.sort(
        (one, other) => (next(one)?.notBefore ?? 0) - (next(other)?.notBefore ?? 0),
      )[0];
      if (oldest !== undefined) return oldest;
    }
    return ready.find((heap) => {
      const first = next(heap);
      return first !== undefined && window.admits(now, first.request.kind === "poll");
    });
  }

  function isHeldTooLong({ maxHoldMs }: PacedRequest): boolean {
    return maxHoldMs !== undefined && window.heldUntil - clock.now() > maxHoldMs;
  }

  /** Gives up what doesn't stand the hold that has just begun. */
  function releaseHeld(): void {
    for (const waiting of everybody()) if (isHeldTooLong(waiting.request)) waiting.settle(false);
  }

  /** Everybody who still waits. */
  function everybody(): Waiting[] {
    return [upcoming, ...ready].flatMap((heap) => heap.values()).filter(({ isSettled }) => !isSettled);
  }

  function soonestRead({ taskId }: PacedRequest, now: number): number {
    const last = taskId === undefined ? undefined : lastReads.get(taskId);
    // A clock that was set back must not make a task wait for the old time.
    return last === undefined || last > now ? now : last + LIMITS.shortestPollIntervalMs;
  }

  function noteRead({ taskId }: Pick<PacedRequest, "taskId">, now: number): void {
    if (taskId === undefined) return;
    lastReads.delete(taskId);
    lastReads.set(taskId, now);
    for (const [id, at] of lastReads) {
      if (Math.abs(now - at) < LIMITS.shortestPollIntervalMs) return;
      lastReads.delete(id);
    }
  }

  function setAlarm(now: number): void {
    const isBlocked = ready.some((heap) => next(heap) !== undefined);
    const at = Math.min(
      next(upcoming)?.notBefore ?? Number.POSITIVE_INFINITY,
      next(expiring)?.notAfter ?? Number.POSITIVE_INFINITY,
      isBlocked && window.nextChange(now) > now ? window.nextChange(now) : Number.POSITIVE_INFINITY,
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
        for (const waiting of everybody()) waiting.fail(reason);
      },
    );
  }
}

/** Whoever has been due for longest goes first, and among equals whoever came first. */
function isDueBefore(one: Waiting, other: Waiting): boolean {
  return one.notBefore < other.notBefore || (one.notBefore === other.notBefore && one.number < other.number);
}

/** The first request of a heap that still waits. */
function next(heap: Heap<Waiting>): Waiting | undefined {
  while (heap.peek()?.isSettled) heap.pop();
  return heap.peek();
}
