import type { WaitingTask } from "../../rate-limit/pacer.js";
import type { TaskEnd } from "../../rate-limit/schedule.js";
import type { SteadyClock } from "../../time/clock.js";

/** How many ends a process holds until it shares them; the oldest are dropped. */
const MOST_HELD = 100;

/** Exchanges the ends of tasks with the other processes of the fleet. */
export class SharedEnds {
  readonly #clock: SteadyClock;
  readonly #everyMs: number;
  /** Shares the ends of this process, and resolves with those of others since the last call. */
  readonly #exchange: (own: readonly TaskEnd[]) => Promise<readonly TaskEnd[]>;
  readonly #learn: (end: TaskEnd) => void;
  #own: TaskEnd[] = [];
  #exchangedAt = Number.NEGATIVE_INFINITY;
  #isExchanging = false;

  constructor(
    clock: SteadyClock,
    everyMs: number,
    exchange: (own: readonly TaskEnd[]) => Promise<readonly TaskEnd[]>,
    learn: (end: TaskEnd) => void,
  ) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#exchange = exchange;
    this.#learn = learn;
  }

  /** Notes that a task of this process was found finished now. Times are of the caller's clock. */
  note({ model, type, submittedAt, unfinishedAt }: WaitingTask, now: number): void {
    this.#own.push({ model, type, unfinishedMs: unfinishedAt - submittedAt, ageMs: now - submittedAt });
    if (this.#own.length > MOST_HELD) this.#own.shift();
  }

  /** Exchanges ends if the last exchange is long enough ago. An error loses the noted ends and has no other effect. */
  async exchange(): Promise<void> {
    const now = this.#clock.now();
    if (this.#isExchanging || now < this.#exchangedAt + this.#everyMs) return;
    this.#exchangedAt = now;
    this.#isExchanging = true;
    const own = this.#own;
    this.#own = [];
    try {
      for (const end of await this.#exchange(own)) this.#learn(end);
    } catch {
      // The pacer works without the ends of others. If Redis is unavailable, the next request reports it.
    } finally {
      this.#isExchanging = false;
    }
  }
}
