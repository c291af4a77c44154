import { type AbortCallback, onAbort } from "./abort.js";

/** Settles as the work does. Rejects at the limit or the abort, whether the work heeds them or not. */
export async function within<Value>(
  timeoutMs: number,
  work: () => Promise<Value>,
  signal?: AbortSignal,
  timedOut = (error: unknown): unknown => error,
): Promise<Value> {
  const deadline = new Deadline(timeoutMs, signal);
  try {
    deadline.signal.throwIfAborted();
    return await Promise.race([work(), deadline.ended]);
  } catch (error) {
    throw deadline.timedOut ? timedOut(error) : error;
  } finally {
    deadline.clear();
  }
}

/** Why an attempt ended at its deadline. The fake timers of a test runner, which have a `clock`, may end it early. */
export function noResponseWithin(timeoutMs: number): string {
  const isFake = Object.hasOwn(setTimeout, "clock");
  return `no response came within ${timeoutMs} ms${isFake ? " of fake time. Wait in real time before each step" : ""}`;
}

/** A deadline that comes this much too late: the process did not run, since it was suspended or blocked. */
const LATE_MS = 10;

/** What arrived while the process did not run is delivered within these turns of the event loop: 1 s in total. */
const LATE_TURNS = 10;

const LATE_TURN_MS = 100;

/**
 * Limits one attempt in real time, whatever the client's clock: a virtual clock may never move while a request is in flight.
 * A process that was suspended past its deadline first receives what has arrived meanwhile. Turns are counted and not time,
 * so that another suspension does not use them up.
 */
export class Deadline {
  readonly timeoutMs: number;
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal;
  /** Rejects when the attempt must end, for code that ignores the signal. */
  readonly ended: Promise<never>;
  /** Whether the limit has ended the attempt. */
  timedOut = false;
  /** The request that follows the signal: one that is not referenced stops following it. */
  request: Request | undefined;
  readonly #controller = new AbortController();
  /** Once it is removed, an abort of the caller does not end the attempt. */
  readonly callerAbort: AbortCallback;
  #reject: (reason: unknown) => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** By the system's clock, since the time of timers may stand still while the process is suspended. */
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(timeoutMs: number, callerSignal?: AbortSignal) {
    this.timeoutMs = timeoutMs;
    this.signal = this.#controller.signal;
    this.ended = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    this.ended.catch(() => {});
    this.callerAbort = onAbort(callerSignal, () => this.#end(callerSignal?.reason));
    if (callerSignal?.aborted) this.#end(callerSignal.reason);
    else this.restart();
  }

  /** Whether the attempt is to end, or has ended, at its limit: also while the timer of the limit is late. */
  get isOverdue(): boolean {
    return this.timedOut || Date.now() > this.#endsAt;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#endsAt = Date.now() + this.timeoutMs;
    const dueAt = performance.now() + this.timeoutMs;
    const lateMs = () => Math.max(performance.now() - dueAt, Date.now() - this.#endsAt);
    const check = () => this.#endAfter(lateMs() > LATE_MS ? LATE_TURNS : 0);
    this.#timer = setTimeout(check, this.timeoutMs);
  }

  /** Stops the time limit until `restart`. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.callerAbort.remove();
  }

  #endAfter(turns: number): void {
    if (turns > 0) {
      this.#timer = setTimeout(() => this.#endAfter(turns - 1), LATE_TURN_MS);
      return;
    }
    this.timedOut = true;
    this.#end(new DOMException(`no response within ${this.timeoutMs} ms`, "TimeoutError"));
  }

  #end(reason: unknown): void {
    this.clear();
    this.#controller.abort(reason);
    this.#reject(this.signal.reason);
  }
}
