import { LIMITS } from "../contract/service.js";

/** How long a read may take until the service counts it: while it is in flight, the next one waits for so much longer. */
const TRAVEL_MS = 1000;

/** When each task was last read, for those of the last seconds. */
export class TaskReads {
  /** When the last read of a task was sent or its response came. */
  readonly #last = new Map<string, { at: number; isInFlight: boolean }>();

  /** When a task may be read again: a second after the service has counted the last read. */
  nextAt(taskId: string, now: number): number {
    const last = this.#last.get(taskId);
    if (last === undefined) return now;
    const nextAt = last.at + LIMITS.shortestPollIntervalMs;
    // Decided when that second is over: by then, the response has usually come.
    return last.isInFlight && nextAt <= now ? nextAt + TRAVEL_MS : nextAt;
  }

  /** A read of the task was sent, or its response came: the service counted it at a time in between. */
  note(taskId: string, now: number, isInFlight: boolean): void {
    this.#last.delete(taskId);
    this.#last.set(taskId, { at: now, isInFlight });
    for (const [id, { at }] of this.#last) {
      if (now - at < LIMITS.shortestPollIntervalMs + TRAVEL_MS) break;
      this.#last.delete(id);
    }
  }
}
