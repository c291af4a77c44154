import { onAbort } from "./abort.js";

/** Why an attempt ended at its deadline. The fake timers of a test runner, which have a `clock`, may end it early. */
export function noResponseWithin(timeoutMs: number): string {
  const isFake = Object.hasOwn(setTimeout, "clock");
  return `no response came within ${timeoutMs} ms${isFake ? " of fake time. Wait in real time before each step" : ""}`;
}

export type Deadline = ReturnType<typeof startDeadline>;

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
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal) {
  const controller = new AbortController();
  const { signal } = controller;
  let timedOut = false;
  let end = (_reason: unknown) => {};
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => {
      clear();
      controller.abort(reason);
      reject(signal.reason);
    };
  });
  ended.catch(() => {});
  const endAfter = (turns: number) => {
    if (turns > 0) {
      timer = setTimeout(endAfter, LATE_TURN_MS, turns - 1);
      return;
    }
    timedOut = true;
    end(new DOMException(`no response within ${timeoutMs} ms`, "TimeoutError"));
  };
  const start = () => {
    const dueAt = performance.now() + timeoutMs;
    return setTimeout(() => endAfter(performance.now() - dueAt > LATE_MS ? LATE_TURNS : 0), timeoutMs);
  };
  let timer = start();
  const callerAbort = onAbort(callerSignal, () => end(callerSignal?.reason));
  const clear = () => {
    clearTimeout(timer);
    callerAbort.remove();
  };
  if (callerSignal?.aborted) end(callerSignal.reason);

  return {
    timeoutMs,
    /** Aborted when the attempt must end. */
    signal,
    /** Rejects when the attempt must end, for code that ignores the signal. */
    ended,
    timedOut: () => timedOut,
    restart() {
      clearTimeout(timer);
      timer = start();
    },
    /** Stops the time limit until `restart`. */
    pause: () => clearTimeout(timer),
    clear,
  };
}
