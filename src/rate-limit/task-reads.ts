import { LIMITS } from "../contract/service.js";

/** How long a read may take until the service counts it: while it is in flight, the next one waits for so much longer. */
const TRAVEL_MS = 1000;

/** A read that is older than this delays no other one. */
const KEPT_MS = LIMITS.shortestPollIntervalMs + TRAVEL_MS;

/** When the next read may be sent if the last one has got its response by then, and when if it has not. */
type NextRead = readonly [usually: number, atLatest: number];

/** When each task may be read again, for the reads of the last `KEPT_MS` at least. */
export class TaskReads {
  #recent = new Map<string, NextRead>();
  #older = new Map<string, NextRead>();
  #recentSince = 0;

  /** When a task may be read again: a second after the service has counted the last read. */
  nextAt(taskId: string, now: number): number {
    const [usually, atLatest] = this.#recent.get(taskId) ?? this.#older.get(taskId) ?? [now, now];
    // Decided when that second is over: by then, the response has usually come.
    return usually > now ? usually : atLatest;
  }

  /** A read of the task was sent, or its response came: the service counted it at a time in between. */
  note(taskId: string, now: number, isInFlight: boolean): void {
    if (now - this.#recentSince >= KEPT_MS) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentSince = now;
    }
    const usually = now + LIMITS.shortestPollIntervalMs;
    this.#recent.set(taskId, [usually, isInFlight ? usually + TRAVEL_MS : usually]);
  }
}
