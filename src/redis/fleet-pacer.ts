import { createMemoryPacer } from "../rate-limit/memory-pacer.js";
import type { PacedRequest, Pacer } from "../rate-limit/pacer.js";
import { type PacerWindow, RateWindow } from "../rate-limit/window.js";
import { type Clock, SteadyClock } from "../time/clock.js";
import { type FleetBudget, type FleetSize, FleetWindow } from "./fleet-window.js";

/** The timeout of the shared budget, in two sleeps: a process that was suspended reads the response before it gives up. */
const SLEEPS = 2;
const SLEEP_MS = 1000;
/** How often per window this process reports how many tasks wait in it. */
const WEIGHINGS = 30;
/** How long an unavailable shared budget is not tried again. */
const REST_MS = 10_000;

/**
 * A pacer with a shared budget. The requests of this process wait in its own queue; the first one is taken from the shared
 * budget, and goes back into the queue if that is refused. While the budget is unavailable, this process paces itself.
 */
export function createFleetPacer(
  callersClock: Clock,
  fleet: FleetBudget,
  size: FleetSize,
  onUnavailable: (error: unknown) => void,
): Pacer {
  const clock = new SteadyClock(callersClock);
  const window = new FleetWindow(size, () => void weigh());
  let waiting = 0;
  let mostWaiting = 0;
  let weighedAt = Number.NEGATIVE_INFINITY;
  let restsUntil = Number.NEGATIVE_INFINITY;
  let isAway = false;
  const isAlone = () => clock.now() < restsUntil;
  const queue = createMemoryPacer(
    callersClock,
    eitherWindow(window, new RateWindow(), clock, () => restsUntil),
  );

  return {
    async admit(request, signal) {
      const tasks = request.kind === "poll" ? 1 : 0;
      waiting += tasks;
      mostWaiting = Math.max(mostWaiting, waiting);
      try {
        while (await queue.admit(request, signal)) if (await take(request, signal)) return true;
        return false;
      } finally {
        waiting -= tasks;
      }
    },

    report(report) {
      const { sentAt, remaining, heldForMs } = report;
      queue.report(report);
      if (isAlone()) return;
      if (heldForMs !== null) return void ask(() => fleet.hold(heldForMs));
      const correction = window.correct(clock.now(), clock.fromClock(sentAt), remaining);
      if (correction !== null) void ask(() => fleet.correct(correction));
    },

    learn: queue.learn,
    rateLimit: queue.rateLimit,
  };

  async function take({ kind }: PacedRequest, signal: AbortSignal | undefined): Promise<boolean> {
    const askedAt = clock.now();
    const upTo = window.ceiling(askedAt, kind === "poll");
    const ownHasAdmitted = isAlone();
    const taking = ownHasAdmitted ? null : await ask(() => fleet.take(upTo));
    window.answered();
    // If the budget became unavailable, the request goes back and is admitted by this process's own one.
    const mayLeave = taking === null ? ownHasAdmitted : window.note(taking, askedAt, clock.now());
    if (mayLeave && !signal?.aborted) {
      queue.advance();
      return true;
    }
    // Nothing was sent: release the slot in the queue.
    const heldForMs = taking?.isHeld ? taking.endsInMs : null;
    queue.report({ sentAt: callersClock.now(), remaining: null, heldForMs });
    return false;
  }

  async function weigh(): Promise<void> {
    const now = clock.now();
    if (isAlone() || now < weighedAt + size.windowMs / WEIGHINGS) return;
    weighedAt = now;
    // A task whose poll is in flight waits as well.
    const own = mostWaiting;
    mostWaiting = waiting;
    const all = await ask(() => fleet.weigh(own));
    if (all !== null) window.weigh(own, all);
  }

  /** Returns null, and pauses the shared budget, if it does not respond. */
  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer | null> {
    const patience = new AbortController();
    try {
      const answer = await Promise.race([question(), tooLate(patience.signal)]);
      isAway = false;
      return answer;
    } catch (error) {
      restsUntil = clock.now() + REST_MS;
      // An error of the listener is ignored.
      const tell = async () => onUnavailable(error);
      if (!isAway) tell().catch(() => {});
      isAway = true;
      return null;
    } finally {
      patience.abort();
    }
  }

  async function tooLate(signal: AbortSignal): Promise<never> {
    for (let count = 0; count < SLEEPS; count++) await clock.sleep(SLEEP_MS, signal);
    throw new Error(`the shared budget did not respond within ${SLEEPS * SLEEP_MS} ms`);
  }
}

/** The fleet's window, or this process's own while the fleet's is unavailable. Both record every request. */
function eitherWindow(
  fleet: PacerWindow,
  own: PacerWindow,
  clock: SteadyClock,
  aloneUntil: () => number,
): PacerWindow {
  const isAlone = () => clock.now() < aloneUntil();
  const current = () => (isAlone() ? own : fleet);
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
    nextChange: (now) => (isAlone() ? Math.min(own.nextChange(now), aloneUntil()) : fleet.nextChange(now)),
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
