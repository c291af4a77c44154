import { createMemoryPacer } from "../../rate-limit/memory-pacer.js";
import type { PacedRequest, Pacer } from "../../rate-limit/pacer.js";
import { type PacerWindow, RateWindow } from "../../rate-limit/window.js";
import { type Clock, SteadyClock } from "../../time/clock.js";
import { type FleetBudget, type FleetSize, FleetWindow, REPLY_LASTS_MS } from "./fleet-window.js";

/** The timeout of the shared budget, in two sleeps: a process that was suspended still reads the response after the first one. */
const TIMEOUT_SLEEPS = 2;
const SLEEP_MS = REPLY_LASTS_MS / TIMEOUT_SLEEPS;
/** How often per window this process reports how many tasks it waits for. */
const REPORTS_PER_WINDOW = 30;
/** How long an unavailable shared budget is not used. */
const UNAVAILABLE_MS = 10_000;

/**
 * A pacer with a shared budget. The requests of this process wait in its own queue. The first one is taken from the shared
 * budget; if that is refused, it returns to the queue. While the budget is unavailable, this process uses a window of its own.
 */
export function createFleetPacer(
  callersClock: Clock,
  fleet: FleetBudget,
  size: FleetSize,
  onUnavailable: (error: unknown) => void,
): Pacer {
  const clock = new SteadyClock(callersClock);
  const window = new FleetWindow(size, () => void reportWaiting());
  let waiting = 0;
  let highestWaiting = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let unavailableUntil = Number.NEGATIVE_INFINITY;
  let isUnavailable = false;
  const usesOwnWindow = () => clock.now() < unavailableUntil;
  const queue = createMemoryPacer(
    callersClock,
    eitherWindow(window, new RateWindow(), clock, () => unavailableUntil),
  );

  return {
    async admit(request, signal) {
      const tasks = request.kind === "poll" ? 1 : 0;
      waiting += tasks;
      highestWaiting = Math.max(highestWaiting, waiting);
      try {
        let next = request;
        while (await queue.admit(next, signal)) {
          let reservedAt = clock.now();
          let blockedForMs = await reserveRead(request);
          if (blockedForMs === 0 && !signal?.aborted) {
            if (!(await take(request, signal))) {
              if (signal?.aborted) withdrawRead(request);
              continue;
            }
            // With slow replies, another process may have read the task meanwhile.
            while (blockedForMs === 0 && clock.now() > reservedAt + REPLY_LASTS_MS) {
              reservedAt = clock.now();
              blockedForMs = await reserveRead(request);
            }
            if (blockedForMs === 0 && !signal?.aborted) return true;
          } else window.update(null, clock.now(), clock.now());
          releaseSlot(request, null);
          if (blockedForMs === 0) withdrawRead(request);
          next = { ...request, notBefore: callersClock.now() + blockedForMs };
        }
        return false;
      } finally {
        waiting -= tasks;
      }
    },

    report(report) {
      const { taskId, sentAt, remaining, heldForMs } = report;
      queue.report(report);
      if (usesOwnWindow()) return;
      if (taskId !== undefined) void withTimeout(() => fleet.noteRead(taskId));
      if (heldForMs !== null) return void withTimeout(() => fleet.hold(heldForMs));
      const correction = window.correct(clock.now(), clock.fromClock(sentAt), remaining);
      if (correction !== null) void withTimeout(() => fleet.correct(correction));
    },

    learn: queue.learn,
    rateLimit: queue.rateLimit,
  };

  /** Resolves with how long a read of the same task by another process prevents this request, in milliseconds. */
  async function reserveRead({ taskId }: PacedRequest): Promise<number> {
    if (taskId === undefined || usesOwnWindow()) return 0;
    return (await withTimeout(() => fleet.reserveRead(taskId))) ?? 0;
  }

  /** The caller has aborted a reserved read. An earlier read by this process may be less than a second old. */
  function withdrawRead({ taskId }: PacedRequest): void {
    if (taskId !== undefined && !usesOwnWindow()) void withTimeout(() => fleet.noteRead(taskId));
  }

  /** Nothing is sent for an admitted request. */
  function releaseSlot({ taskId }: PacedRequest, heldForMs: number | null): void {
    queue.report({ taskId, sentAt: callersClock.now(), remaining: null, heldForMs });
  }

  async function take(request: PacedRequest, signal: AbortSignal | undefined): Promise<boolean> {
    const takenAt = clock.now();
    const upTo = window.ceiling(takenAt, request.kind === "poll");
    const isOwn = usesOwnWindow();
    const taking = isOwn ? null : await withTimeout(() => fleet.take(upTo));
    // If the shared budget became unavailable, the request returns to the queue, and this process's own window admits it.
    const isTaken = window.update(taking, takenAt, clock.now());
    if ((isOwn || isTaken) && !signal?.aborted) {
      queue.advance();
      return true;
    }
    releaseSlot(request, taking?.isHeld ? taking.endsInMs : null);
    return false;
  }

  async function reportWaiting(): Promise<void> {
    const now = clock.now();
    if (usesOwnWindow() || now < reportedAt + size.windowMs / REPORTS_PER_WINDOW) return;
    reportedAt = now;
    // A task whose poll is in flight waits as well.
    const own = highestWaiting;
    highestWaiting = waiting;
    const all = await withTimeout(() => fleet.reportWaiting(own));
    if (all !== null) window.setShare(own, all);
  }

  /** Returns null if the shared budget fails or does not respond, which makes it unavailable for a while. */
  async function withTimeout<Reply>(call: () => Promise<Reply>): Promise<Reply | null> {
    const timer = new AbortController();
    try {
      const reply = await Promise.race([call(), timeout(timer.signal)]);
      isUnavailable = false;
      return reply;
    } catch (error) {
      unavailableUntil = clock.now() + UNAVAILABLE_MS;
      // An error of the listener is ignored.
      const notify = async () => onUnavailable(error);
      if (!isUnavailable) notify().catch(() => {});
      isUnavailable = true;
      return null;
    } finally {
      timer.abort();
    }
  }

  async function timeout(signal: AbortSignal): Promise<never> {
    for (let count = 0; count < TIMEOUT_SLEEPS; count++) await clock.sleep(SLEEP_MS, signal);
    throw new Error(`Redis did not respond within ${REPLY_LASTS_MS / 1000} s.`);
  }
}

/** The fleet's window, or this process's own while the fleet's is unavailable. Both record every request. */
function eitherWindow(
  fleet: PacerWindow,
  own: PacerWindow,
  clock: SteadyClock,
  unavailableUntil: () => number,
): PacerWindow {
  const usesOwnWindow = () => clock.now() < unavailableUntil();
  const current = () => (usesOwnWindow() ? own : fleet);
  return {
    get heldUntil() {
      return current().heldUntil;
    },
    get openedAt() {
      return current().openedAt;
    },
    isOpen: (now) => current().isOpen(now),
    shareLeft: (now, rank) => current().shareLeft(now, rank),
    admits: (now, rank, leave) => current().admits(now, rank, leave),
    nextChange: (now) =>
      usesOwnWindow() ? Math.min(own.nextChange(now), unavailableUntil()) : fleet.nextChange(now),
    budget: (now) => current().budget(now),
    state: (now) => current().state(now),
    spend(now, rank) {
      fleet.spend(now, rank);
      own.spend(now, rank);
    },
    record(now, report) {
      fleet.record(now, report);
      own.record(now, report);
    },
  };
}
