import { startDeadline } from "../clock/deadline.js";
import { onAbort } from "../clock/on-abort.js";
import { whenOverdue } from "../clock/when-overdue.js";
import type { PacedRequest } from "../pacer/pacer.js";
import { tellWait } from "../telemetry/tell-wait.js";
import type { Transport } from "../transport/transport.js";
import type { Reading } from "./retrieve.js";

/** One wait's wish for the next reading of its task. */
export interface PollWish {
  taskId: string;
  pacing: Required<Pick<PacedRequest, "notBefore" | "notAfter" | "task">>;
  signal: AbortSignal | undefined;
  /** How long this wait would now wait for the answer to a poll, in real milliseconds. */
  timeoutMs: () => number;
  read: (signal: AbortSignal) => Promise<Reading>;
}

/** How far behind the end of a wait the answer of a last poll may come, in real milliseconds. */
export const GRACE_MS = 500;

/** Lets the waits of one client on one task share its polls. */
export interface SharedPolls {
  /**
   * The next reading of the task: by this wait's own poll, or by that of another wait which came first. `null` when
   * the wait's time is over.
   */
  next(wish: PollWish): Promise<Reading | null>;
}

/** Why a poll came to nothing: a wait that shared it has left it. */
export class PollAbandoned extends Error {
  override name = "PollAbandoned";
  override message = "the poll was left before its answer came";
}

/** Called with a poll that begins. */
type Joiner = (poll: Promise<Reading>) => void;

export function createSharedPolls({ pacer, clock, emitter }: Transport): SharedPolls {
  const underWay = new Map<string, Promise<Reading>>();
  const joinersByTask = new Map<string, Set<Joiner>>();

  return {
    async next({ taskId, pacing, signal, timeoutMs, read }) {
      const begun = underWay.get(taskId);
      // A wait that isn't due has just had its reading, or has left this very poll, since it took too long.
      const isDue = pacing.notBefore <= clock.now();
      const join = (poll: Promise<Reading>) =>
        patiently(pacing.notAfter, signal, (patience) => joined(poll, timeoutMs(), patience));
      if (begun !== undefined && isDue) return join(begun);

      const controller = new AbortController();
      const other = joinNext(taskId, controller);
      const leaveSignal = onAbort(signal, () => controller.abort(signal?.reason));
      try {
        signal?.throwIfAborted();
        const dueAt = Math.max(pacing.notBefore, clock.now());
        const admitted = pacer.admit({ kind: "poll", taskId, ...pacing }, controller.signal);
        const turn = await Promise.race([admitted, other.poll]);
        if (turn === false) return null;
        if (turn !== true) return await join(turn.poll);
        tellWait(emitter, { purpose: `read task ${taskId}`, taskId, waitedMs: clock.now() - dueAt });
        return await patiently(pacing.notAfter, signal, (patience) =>
          begin(taskId, other.joiner, read, patience),
        );
      } finally {
        leaveSignal();
        leave(taskId, other.joiner);
      }
    },
  };

  /** Leaves a poll that stalls when the wait's time is over, also by a clock that others have moved meanwhile. */
  async function patiently(
    notAfter: number,
    signal: AbortSignal | undefined,
    poll: (patience: AbortSignal) => Promise<Reading>,
  ): Promise<Reading> {
    const controller = new AbortController();
    const leaveSignal = onAbort(signal, () => controller.abort(signal?.reason));
    const forget = whenOverdue(clock, notAfter, GRACE_MS, () => controller.abort(new PollAbandoned()));
    try {
      signal?.throwIfAborted();
      return await poll(controller.signal);
    } finally {
      leaveSignal();
      forget();
    }
  }

  /** Waits for a poll of another wait, and gives up this wait's own place in the queue when one begins. */
  function joinNext(taskId: string, controller: AbortController) {
    let joiner: Joiner = () => {};
    const poll = new Promise<{ poll: Promise<Reading> }>((resolve) => {
      joiner = (begun) => {
        resolve({ poll: begun });
        controller.abort();
      };
    });
    const joiners = joinersByTask.get(taskId) ?? new Set();
    joinersByTask.set(taskId, joiners.add(joiner));
    return { joiner, poll };
  }

  function begin(
    taskId: string,
    own: Joiner,
    read: (signal: AbortSignal) => Promise<Reading>,
    signal: AbortSignal,
  ): Promise<Reading> {
    const poll = read(signal)
      .catch((error: unknown) => {
        throw signal.aborted ? new PollAbandoned() : error;
      })
      .finally(() => {
        if (underWay.get(taskId) === poll) underWay.delete(taskId);
      });
    poll.catch(() => {});
    underWay.set(taskId, poll);
    leave(taskId, own);
    for (const join of joinersByTask.get(taskId) ?? []) join(poll);
    return poll;
  }

  function leave(taskId: string, joiner: Joiner): void {
    const joiners = joinersByTask.get(taskId);
    joiners?.delete(joiner);
    if (joiners?.size === 0) joinersByTask.delete(taskId);
  }
}

/** A poll of another wait as this one sees it: its own abort and its own patience end it, the other's don't concern it. */
async function joined(poll: Promise<Reading>, timeoutMs: number, signal: AbortSignal): Promise<Reading> {
  const deadline = startDeadline(timeoutMs, signal);
  try {
    return await Promise.race([poll, deadline.ended]);
  } catch (error) {
    throw deadline.timedOut() ? new PollAbandoned() : error;
  } finally {
    deadline.clear();
  }
}
