import { Aborter, onAbort } from "./abort.js";
import type { Clock } from "./clock.js";

/** The end of one HTTP attempt: by its time limit, or by its caller. */
export interface Deadline {
  /** Aborted when the attempt must end. */
  signal: AbortSignal;
  /** Rejects when the attempt must end, for what doesn't listen to the signal. */
  ended: Promise<never>;
  /** Whether it was the time limit that ended it. */
  timedOut(): boolean;
  /** Sets the time limit anew, counted from now. */
  restart(): void;
  /** Stops the time limit until it is set anew. */
  pause(): void;
  /** Forgets the time limit and the caller. */
  clear(): void;
}

/**
 * Limits one attempt in real time, whatever clock the client waits on: an answer that never comes must not depend on
 * a clock that somebody has to move.
 */
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new Aborter();
  let rejectEnded: (reason: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    rejectEnded = reject;
  });
  ended.catch(() => {});

  let timedOut = false;
  const end = (reason: unknown) => {
    clear();
    controller.abort(reason);
    rejectEnded(controller.signal.reason);
  };
  const clear = () => {
    clearTimeout(timer);
    callerAbort.leave();
  };
  const onTimeout = () => {
    timedOut = true;
    end(new DOMException(`no answer within ${timeoutMs} ms`, "TimeoutError"));
  };
  const onCallerAbort = () => end(callerSignal?.reason);

  let timer = setTimeout(onTimeout, timeoutMs);
  const callerAbort = onAbort(callerSignal, onCallerAbort);
  if (callerSignal?.aborted) onCallerAbort();

  return {
    signal: controller.signal,
    ended,
    timedOut: () => timedOut,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    },
    pause: () => clearTimeout(timer),
    clear,
  };
}

/** How often the clock is looked at, in real milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * Calls back some real milliseconds after a time of the clock has come, however it came: somebody may move the clock
 * while nobody sleeps on it. Answers how to forget it.
 */
export function whenOverdue(clock: Clock, time: number, graceMs: number, callback: () => void): () => void {
  const look = () => {
    const hasCome = clock.now() >= time;
    timer = setTimeout(hasCome ? callback : look, hasCome ? graceMs : LOOK_EVERY_MS);
  };
  let timer = setTimeout(look, LOOK_EVERY_MS);
  return () => clearTimeout(timer);
}
