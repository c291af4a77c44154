import { admit, openWindow, type RateWindow } from "../../emulator/limits/rate-window.js";
import { LIMITS } from "../../src/contract/limits.js";
import type { Law } from "./law.js";

/** The limit of one key. */
export interface Limit {
  requests: number;
  windowMs: number;
  kind: "fixed" | "sliding";
}

export const USUAL_LIMIT: Limit = { requests: 120, windowMs: 60_000, kind: "fixed" };

/** What the service knows of a task. */
export interface ServiceTask {
  createdAt: number;
  endsAt: number;
  /** The read that settled it, and whether it was read too late. */
  foundAt: number | null;
  isLost: boolean;
}

export type Answer = { retryAfterMs: number } | { remaining: number };

/** The light model of the service: the emulator's own rate limit, and tasks that end by a law of their own. */
export class Service {
  /** How many requests were refused. */
  refused = 0;
  readonly #limit: Limit;
  readonly #window: RateWindow;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#window = openWindow(limit.kind, Number.NEGATIVE_INFINITY);
  }

  count(now: number): Answer {
    const { requests, windowMs } = this.#limit;
    const admission = admit(this.#window, { requests, windowSeconds: windowMs / 1000 }, now);
    if (admission.admitted) return { remaining: admission.remaining };
    this.refused++;
    return { retryAfterMs: admission.retryAfterSeconds * 1000 };
  }

  /** Reads a task: whether it is over. */
  read(task: ServiceTask, now: number): boolean {
    if (task.foundAt !== null) return true;
    const isTooOld = now - task.createdAt > LIMITS.taskTimeoutMs;
    if (now < task.endsAt && !isTooOld) return false;
    task.foundAt = now;
    task.isLost = isTooOld && task.endsAt <= task.createdAt + LIMITS.taskTimeoutMs;
    return true;
  }
}

/** A task that begins now. */
export function beginTask(law: Law, chance: number, now: number): ServiceTask {
  return { createdAt: now, endsAt: now + law.draw(chance) * 1000, foundAt: null, isLost: false };
}

/** When a task is over, by itself or by the hour. */
export function overAt({ createdAt, endsAt }: ServiceTask): number {
  return Math.min(endsAt, createdAt + LIMITS.taskTimeoutMs);
}
