import type { PacedRequest, Pacer } from "../pacer/pacer.js";
import type { Reading } from "./retrieve.js";

/** One wait's wish for the next reading of its task. */
export interface PollWish {
  taskId: string;
  pacing: Pick<PacedRequest, "notBefore" | "notAfter">;
  signal: AbortSignal | undefined;
  read: () => Promise<Reading>;
}

/** Lets the waits of one client on one task share its polls. */
export interface SharedPolls {
  /**
   * The next reading of the task: by this wait's own poll, or by that of another wait which came first. `null` when
   * the wait's time is over.
   */
  next(wish: PollWish): Promise<Reading | null>;
}

/** Why a poll that others joined came to nothing: the wait whose poll it was has been aborted. */
export class PollAbandoned extends Error {}

/** Called with a poll that begins. */
type Joiner = (poll: Promise<Reading>) => void;

export function createSharedPolls(pacer: Pacer): SharedPolls {
  const underWay = new Map<string, Promise<Reading>>();
  const joinersByTask = new Map<string, Set<Joiner>>();

  return {
    async next({ taskId, pacing, signal, read }) {
      const begun = underWay.get(taskId);
      if (begun !== undefined) return abortable(begun, signal);

      const controller = new AbortController();
      const other = joinNext(taskId, controller);
      const onAbort = () => controller.abort(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        signal?.throwIfAborted();
        const admitted = pacer.admit({ kind: "poll", taskId, ...pacing }, controller.signal);
        const turn = await Promise.race([admitted, other.poll]);
        if (turn === true) return await begin(taskId, other.joiner, read, signal);
        return turn === false ? null : await abortable(turn.poll, signal);
      } finally {
        signal?.removeEventListener("abort", onAbort);
        leave(taskId, other.joiner);
      }
    },
  };

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

  function begin(taskId: string, own: Joiner, read: () => Promise<Reading>, signal?: AbortSignal): Promise<Reading> {
    const poll = read()
      .catch((error: unknown) => {
        throw signal?.aborted ? new PollAbandoned() : error;
      })
      .finally(() => underWay.delete(taskId));
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

/** A poll of another wait as this wait sees it: this wait's own abort ends it, the other's doesn't concern it. */
function abortable(poll: Promise<Reading>, signal: AbortSignal | undefined): Promise<Reading> {
  if (signal === undefined) return poll;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    poll.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
