import { KeyWindow } from "../../rate-limit/key-window.js";
import { MemoryPacer } from "../../rate-limit/memory-pacer.js";
import type { PacedRequest, Pacer, RateLimitReport } from "../../rate-limit/pacer.js";
import type { PacerWindow, Rank, WindowChoice, WindowReport } from "../../rate-limit/window.js";
import { type Clock, SteadyClock } from "../../time/clock.js";
import { AvailableWindow } from "./available-window.js";
import { shareOf, shareTenants, turnOf } from "./fleet-share.js";
import { FleetWindow } from "./fleet-window.js";
import { SharedEnds } from "./shared-ends.js";
import { type FleetSize, REPLY_LASTS_MS, type SharedWindow } from "./shared-window.js";
import { WaitingTasks } from "./waiting-tasks.js";

const REPORTS_PER_WINDOW = 30;

/** How often per window this process exchanges the ends of tasks with others. */
const EXCHANGES_PER_WINDOW = 12;

/** Before the fleet has reported a tenant, as many processes as this may have it as well: a tenth of it counts here. */
const UNREPORTED = 0.1;

/**
 * A pacer with a shared window. The requests of this process wait in its own queue. The first one is taken from the shared
 * window; if that is refused, it returns to the queue. While that is unavailable, this process uses a window of its own.
 */
export class FleetPacer implements Pacer {
  readonly #callersClock: Clock;
  readonly #clock: SteadyClock;
  readonly #shared: AvailableWindow;
  readonly #window: FleetWindow;
  readonly #queue: MemoryPacer;
  readonly #reportEveryMs: number;
  readonly #waiting = new WaitingTasks();
  readonly #ends: SharedEnds;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(
    clock: Clock,
    fleet: SharedWindow,
    size: FleetSize,
    onUnavailable: (error: unknown) => unknown,
  ) {
    this.#callersClock = clock;
    this.#clock = new SteadyClock(clock);
    this.#shared = new AvailableWindow(this.#clock, fleet, onUnavailable);
    this.#window = new FleetWindow(size, () => void this.#reportTenants());
    this.#queue = new MemoryPacer(clock, new FleetOrOwnWindow(this.#window, this.#shared));
    this.#queue.tenants.newWeight = UNREPORTED;
    this.#reportEveryMs = size.windowMs / REPORTS_PER_WINDOW;
    this.#ends = new SharedEnds(
      this.#clock,
      size.windowMs / EXCHANGES_PER_WINDOW,
      (own) => fleet.exchangeEnds(own),
      (end) => this.#queue.schedule.learnEnd(end),
    );
  }

  readonly admit = async (request: PacedRequest, signal?: AbortSignal): Promise<boolean> => {
    const { kind, tenant } = request;
    this.#exchangeEnds();
    // Without tenants, only the polls are divided.
    const isReported = kind === "poll" || tenant !== undefined;
    if (isReported) this.#waiting.add(tenant);
    try {
      let next = request;
      while (await this.#queue.admit(next, signal)) {
        const outcome = await this.#take(request, signal);
        if (outcome === "taken") return true;
        if (outcome !== "refused")
          next = { ...request, notBefore: this.#callersClock.now() + outcome.blockedForMs };
      }
      return false;
    } finally {
      if (isReported) this.#waiting.remove(tenant);
    }
  };

  readonly report = (report: RateLimitReport): void => {
    const { taskId, remaining, heldForMs, unsent } = report;
    const sentAt = this.#clock.fromClock(report.sentAt);
    this.#queue.report(report);
    if (!this.#shared.isAvailable) return;
    this.#noteRead(taskId);
    if (heldForMs !== null) return void this.#shared.call((shared) => shared.hold(heldForMs));
    if (unsent !== undefined) {
      this.#giveBack(sentAt);
      return;
    }
    const correction = this.#window.correct(this.#clock.now(), sentAt, remaining);
    if (correction !== null) void this.#shared.call((shared) => shared.correct(correction));
  };

  readonly learn: Pacer["learn"] = (task, isFinished) => {
    this.#queue.learn(task, isFinished);
    if (!isFinished) return;
    this.#ends.note(task, this.#callersClock.now());
    this.#exchangeEnds();
  };
  readonly estimate: MemoryPacer["estimate"] = (task) => this.#queue.estimate(task);
  readonly rateLimit: Pacer["rateLimit"] = () => this.#queue.rateLimit();

  /** Reserves the read of the request's task, then takes the request from the shared window. */
  async #take(
    request: PacedRequest,
    signal: AbortSignal | undefined,
  ): Promise<"taken" | "refused" | { blockedForMs: number }> {
    let reservedAt = this.#clock.now();
    let blockedForMs = await this.#reserveRead(request);
    if (blockedForMs === 0 && !signal?.aborted) {
      if (!(await this.#takeOne(request, signal))) {
        if (signal?.aborted) this.#noteRead(request.taskId);
        return "refused";
      }
      // With slow replies, another process may have read the task meanwhile.
      while (blockedForMs === 0 && this.#clock.now() > reservedAt + REPLY_LASTS_MS) {
        reservedAt = this.#clock.now();
        blockedForMs = await this.#reserveRead(request);
      }
      if (blockedForMs === 0 && !signal?.aborted) return "taken";
      if (this.#shared.isAvailable) this.#giveBack(this.#clock.now());
    } else this.#window.update(null, this.#clock.now(), this.#clock.now());
    this.#releaseSlot(request, null);
    if (blockedForMs === 0) this.#noteRead(request.taskId);
    return { blockedForMs };
  }

  /** Takes one request from the shared window; from this process's own window while that is unavailable. */
  async #takeOne(request: PacedRequest, signal: AbortSignal | undefined): Promise<boolean> {
    const takenAt = this.#clock.now();
    const { isAhead, leave } = turnOf(this.#queue.tenants, request.tenant, this.#window, takenAt);
    const upTo = this.#window.ceiling(takenAt, isAhead && request.kind === "poll", leave);
    const isOwn = !this.#shared.isAvailable;
    // If the shared window becomes unavailable, the request returns to the queue, and this process's own window admits it.
    const taking = isOwn ? null : await this.#shared.call((shared) => shared.take(upTo));
    const isTaken = this.#window.update(taking, takenAt, this.#clock.now());
    if ((isOwn || isTaken) && !signal?.aborted) {
      this.#queue.advance();
      return true;
    }
    this.#releaseSlot(request, taking?.isHeld ? taking.endsInMs : null);
    if (taking?.isTaken) this.#giveBack(takenAt);
    return false;
  }

  /** Nothing is sent for an admitted request. */
  #releaseSlot({ taskId, kind, tenant }: PacedRequest, heldForMs: number | null): void {
    const sentAt = this.#callersClock.now();
    this.#queue.report({ taskId, sentAt, remaining: null, heldForMs, unsent: kind, tenant });
  }

  /** A request that was taken from the shared window is not sent: others may send one instead. */
  #giveBack(takenAt: number): void {
    const endsInMs = this.#window.giveBack(this.#clock.now(), takenAt);
    if (endsInMs !== null) void this.#shared.call((shared) => shared.giveBack(endsInMs));
  }

  /** Resolves with how long a read of the same task by another process prevents this request, in milliseconds. */
  async #reserveRead({ taskId }: PacedRequest): Promise<number> {
    if (taskId === undefined) return 0;
    return (await this.#shared.call((shared) => shared.reserveRead(taskId))) ?? 0;
  }

  /** A read has its response, or is not sent after its reservation: an earlier one by this process may be less than a second old. */
  #noteRead(taskId: string | undefined): void {
    if (taskId !== undefined) void this.#shared.call((shared) => shared.noteRead(taskId));
  }

  #exchangeEnds(): void {
    if (this.#shared.isAvailable) void this.#ends.exchange();
  }

  async #reportTenants(): Promise<void> {
    const now = this.#clock.now();
    if (!this.#shared.isAvailable || now < this.#reportedAt + this.#reportEveryMs) return;
    this.#reportedAt = now;
    const own = { waiting: this.#waiting.report(), used: this.#used(now) };
    const all = await this.#shared.call((shared) => shared.reportTenants(own));
    if (all === null) return;
    const share = shareOf(own, all, this.#window.polledFreely);
    this.#window.setShare(share, all.waiting.size > 1);
    shareTenants(this.#queue.tenants, share);
  }

  /** How many requests of each tenant this process has sent in about the last window. */
  #used(now: number): Map<string, number> {
    const tenants = [...this.#queue.tenants.byName];
    return new Map(tenants.map(([name = "", { use }]) => [name, use.recent(now)]));
  }
}

/** The fleet's window, or this process's own while the shared window is unavailable. Both count every request. */
class FleetOrOwnWindow implements WindowChoice {
  readonly #fleet: FleetWindow;
  readonly #shared: AvailableWindow;
  readonly #own = new KeyWindow();

  constructor(fleet: FleetWindow, shared: AvailableWindow) {
    this.#fleet = fleet;
    this.#shared = shared;
  }

  get current(): PacerWindow {
    return this.#shared.isAvailable ? this.#fleet : this.#own.current;
  }

  nextChange(now: number, leave = 0): number {
    if (this.#shared.isAvailable) return this.#fleet.nextChange(now, leave);
    return Math.min(this.#own.nextChange(now, leave), this.#shared.unavailableUntil);
  }

  spend(now: number, rank: Rank): void {
    this.#fleet.spend(now, rank);
    this.#own.spend(now, rank);
  }

  report(now: number, report: WindowReport): void {
    this.#fleet.report(now, report);
    this.#own.report(now, report);
  }
}
