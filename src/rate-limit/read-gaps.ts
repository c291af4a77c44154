import { LIMITS } from "../contract/service.js";

const GAP_MS = LIMITS.shortestPollIntervalMs;

/** Keeps the reads of one task a second apart (Limits: Polling). */
export class ReadGaps {
  /** The last signs of a read, by task: those since a time, and those of the second before it. */
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #since = Number.NEGATIVE_INFINITY;

  /** A read of the task leaves now, or its answer comes: nobody knows when in between it was counted. */
  note(taskId: string | undefined, now: number): void {
    if (taskId === undefined) return;
    if (now - this.#since >= GAP_MS) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#since = now;
    }
    this.#recent.set(taskId, now);
  }

  /** The earliest time for the next read of the task. */
  soonest(taskId: string | undefined, now: number): number {
    if (taskId === undefined) return now;
    const last = this.#recent.get(taskId) ?? this.#older.get(taskId);
    return last === undefined ? now : last + GAP_MS;
  }
}
