import type { Law } from "./law.js";

/** The limit of one key. */
export interface Limit {
  requests: number;
  windowMs: number;
  kind: "fixed" | "sliding";
}

export const USUAL_LIMIT: Limit = { requests: 120, windowMs: 60_000, kind: "fixed" };

/** A task after an hour is over, whatever its provider says. */
const HOUR_MS = 3_600_000;

/** What the service knows of a task. */
export interface ServiceTask {
  createdAt: number;
  endsAt: number;
  /** The read that settled it, and whether it was read too late. */
  foundAt: number | null;
  isLost: boolean;
}

export type Answer = { retryAfterMs: number } | { remaining: number };

/** The light model of the service: a key's limit, and tasks that end by a law of their own. */
export class Service {
  /** How many requests were refused. */
  refused = 0;
  readonly #limit: Limit;
  #used = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  readonly #admittedAt: number[] = [];

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** Counts a request; a refused one doesn't count (Limits: rate limit). */
  count(now: number): Answer {
    const { requests, windowMs, kind } = this.#limit;
    const freeAt = kind === "fixed" ? this.#turnFixed(now) : this.#turnSliding(now);
    if (this.#used >= requests) {
      this.refused++;
      return { retryAfterMs: Math.ceil((freeAt + windowMs - now) / 1000) * 1000 };
    }
    this.#used++;
    if (kind === "sliding") this.#admittedAt.push(now);
    return { remaining: requests - this.#used };
  }

  /** Reads a task: whether it is over. */
  read(task: ServiceTask, now: number): boolean {
    if (task.foundAt !== null) return true;
    const isTooOld = now - task.createdAt > HOUR_MS;
    if (now < task.endsAt && !isTooOld) return false;
    task.foundAt = now;
    task.isLost = isTooOld && task.endsAt <= task.createdAt + HOUR_MS;
    return true;
  }

  #turnFixed(now: number): number {
    if (now >= this.#startedAt + this.#limit.windowMs) {
      this.#startedAt = now;
      this.#used = 0;
    }
    return this.#startedAt;
  }

  #turnSliding(now: number): number {
    while ((this.#admittedAt[0] ?? now) + this.#limit.windowMs <= now) this.#admittedAt.shift();
    this.#used = this.#admittedAt.length;
    return this.#admittedAt[0] ?? now;
  }
}

/** A task that begins now. */
export function beginTask(law: Law, chance: number, now: number): ServiceTask {
  return { createdAt: now, endsAt: now + law.draw(chance) * 1000, foundAt: null, isLost: false };
}

/** When a task is over, by itself or by the hour. */
export function overAt({ createdAt, endsAt }: ServiceTask): number {
  return Math.min(endsAt, createdAt + HOUR_MS);
}
