import { LIMITS } from "../contract/service.js";

/** How long a read may take until the service counts it: while it is in flight, the next one waits for so much longer. */
const TRAVEL_MS = 1000;

/** A read that is older than this delays no other one. */
const KEPT_MS = LIMITS.shortestPollIntervalMs + TRAVEL_MS;

interface TaskRead {
  /** When it was sent or its response came. */
  at: number;
  isInFlight: boolean;
}

/** When each task was last read, for the reads of the last `KEPT_MS` at least. */
export class TaskReads {
  #recent = new Map<string, TaskRead>();
  #older = new Map<string, TaskRead>();
  #recentSince = 0;

  /** When a task may be read again: a second after the service has counted the last read. */
  nextAt(taskId: string, now: number): number {
    const last = this.#recent.get(taskId) ?? this.#older.get(taskId);
    if (last === undefined) return now;
    const nextAt = last.at + LIMITS.shortestPollIntervalMs;
    // Decided when that second is over: by then, the response has usually come.
    return last.isInFlight && nextAt <= now ? nextAt + TRAVEL_MS : nextAt;
  }

  /** A read of the task was sent, or its response came: the service counted it at a time in between. */
  note(taskId: string, now: number, isInFlight: boolean): void {
    if (now - this.#recentSince >= KEPT_MS) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentSince = now;
    }
    this.#recent.set(taskId, { at: now, isInFlight });
  }
}
