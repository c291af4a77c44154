import { PollAbandoned } from "./patience.js";
import type { Reading } from "./retrieve.js";

/** Somebody who waits for the next reading of a task. */
export interface Sharer {
  readonly taskId: string;
  /** A poll of another has begun. */
  join(poll: Promise<Reading>): void;
}

/** Lets the waits of one client on one task share its polls. */
export class SharedPolls {
  readonly #underWay = new Map<string, Promise<Reading>>();
  readonly #sharers = new Map<string, Sharer[]>();

  /** The poll of a task that has begun and has no answer yet. */
  underWay(taskId: string): Promise<Reading> | undefined {
    return this.#underWay.get(taskId);
  }

  /** Whoever enters is told of the next poll of the task, unless they begin it or leave before. */
  enter(sharer: Sharer): void {
    const others = this.#sharers.get(sharer.taskId);
    if (others === undefined) this.#sharers.set(sharer.taskId, [sharer]);
    else others.push(sharer);
  }

  leave(sharer: Sharer): void {
    const others = this.#sharers.get(sharer.taskId) ?? [];
    const place = others.indexOf(sharer);
    if (place < 0) return;
    // In place: of thousands who wait for one task and leave at once, each would copy all the others.
    others.splice(place, 1);
    if (others.length === 0) this.#sharers.delete(sharer.taskId);
  }

  /** Begins a poll, in which everybody joins who waits for one. */
  begin(
    { taskId }: Sharer,
    read: (signal: AbortSignal) => Promise<Reading>,
    signal: AbortSignal,
  ): Promise<Reading> {
    const poll = read(signal)
      .catch((error: unknown) => {
        throw signal.aborted ? new PollAbandoned() : error;
      })
      .finally(() => {
        if (this.#underWay.get(taskId) === poll) this.#underWay.delete(taskId);
      });
    poll.catch(() => {});
    this.#underWay.set(taskId, poll);
    const others = this.#sharers.get(taskId) ?? [];
    this.#sharers.delete(taskId);
    for (const other of others) other.join(poll);
    return poll;
  }
}
