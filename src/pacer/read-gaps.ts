import { LIMITS } from "../contract/limits.js";

/** Keeps the reads of one task a second apart (Limits: Polling). */
export class ReadGaps {
  /** The last sign of a read of each task, the oldest first. */
  readonly #lastReads = new Map<string, number>();

  /** A read of the task leaves now, or its answer comes: nobody knows when in between it was counted. */
  note(taskId: string | undefined, now: number): void {
    if (taskId === undefined) return;
    this.#lastReads.delete(taskId);
    this.#lastReads.set(taskId, now);
    for (const [id, at] of this.#lastReads) {
      if (now - at < LIMITS.shortestPollIntervalMs) return;
      this.#lastReads.delete(id);
    }
  }

  /** The earliest time for the next read of the task. */
  soonest(taskId: string | undefined, now: number): number {
    const last = taskId === undefined ? undefined : this.#lastReads.get(taskId);
    return last === undefined ? now : last + LIMITS.shortestPollIntervalMs;
  }
}
