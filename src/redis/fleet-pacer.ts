import { createMemoryPacer } from "../rate-limit/memory-pacer.js";
import type { PacedRequest, Pacer } from "../rate-limit/pacer.js";
import { RateWindow } from "../rate-limit/rate-window.js";
import { SteadyClock } from "../rate-limit/steady-clock.js";
import type { Clock } from "../time/clock.js";
import { eitherBudget } from "./either-budget.js";
import type { FleetBudget, FleetSize } from "./fleet-budget.js";
import { FleetWindow } from "./fleet-window.js";

/**
 * How often, and how long, an answer of the fleet is waited for, in milliseconds: a process that stood still sees what
 * came meanwhile before it loses its patience.
 */
const NAPS = 2;
const NAP_MS = 1000;
/** How often in a window this process tells how many tasks wait in it. */
const WEIGHINGS = 30;
/** How long nothing is asked of a fleet that didn't answer, in milliseconds. */
const REST_MS = 10_000;

/**
 * A pacer whose budget is shared. The requests of this process wait in its own queue, and whoever's turn has come is
 * asked for; what the fleet denies goes back into the queue. While it doesn't answer, this process paces itself.
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
    eitherBudget(window, new RateWindow(), clock, () => restsUntil),
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
    // Who was only to ask the fleet, and gets no answer, is this process's own budget's to admit.
    const mayLeave = taking === null ? ownHasAdmitted : window.note(taking, askedAt, clock.now());
    if (mayLeave && !signal?.aborted) {
      queue.lookAgain();
      return true;
    }
    // Nothing was sent: the queue must not wait for its answer.
    const heldForMs = taking?.isHeld ? taking.endsInMs : null;
    queue.report({ sentAt: callersClock.now(), remaining: null, heldForMs });
    return false;
  }

  async function weigh(): Promise<void> {
    const now = clock.now();
    if (isAlone() || now < weighedAt + size.windowMs / WEIGHINGS) return;
    weighedAt = now;
    // A task whose poll is just under way waits as well.
    const own = mostWaiting;
    mostWaiting = waiting;
    const all = await ask(() => fleet.weigh(own));
    if (all !== null) window.weigh(own, all);
  }

  /** What the fleet answers; `null`, and for a while it isn't asked again, where it doesn't. */
  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer | null> {
    const patience = new AbortController();
    try {
      const answer = await Promise.race([question(), tooLate(patience.signal)]);
      isAway = false;
      return answer;
    } catch (error) {
      restsUntil = clock.now() + REST_MS;
      if (!isAway) void tell(error);
      isAway = true;
      return null;
    } finally {
      patience.abort();
    }
  }

  async function tooLate(signal: AbortSignal): Promise<never> {
    for (let nap = 0; nap < NAPS; nap++) await clock.sleep(NAP_MS, signal);
    throw new Error(`the shared budget didn't answer within ${NAPS * NAP_MS} ms`);
  }

  /** No request, and no process, fails of what a listener throws or rejects with. */
  async function tell(error: unknown): Promise<void> {
    try {
      await onUnavailable(error);
    } catch {}
  }
}
