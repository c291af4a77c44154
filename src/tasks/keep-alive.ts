import type { Task } from "../contract/task.js";
import type { TaskEstimate } from "../rate-limit/pacer.js";
import { isReasonOf } from "../time/abort.js";
import { type Clock, createSystemClock } from "../time/clock.js";

/** The longest silence, in milliseconds. Bun closes a connection that is idle for 10 seconds. */
const LONGEST_SILENCE_MS = 8000;

/** What is known about an iterable of `watch`. */
export interface Watched {
  clock: Clock;
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** Called after each poll that found no change. */
  onPoll: Set<() => void>;
  estimate(task: Task): TaskEstimate | null;
}

/** The iterables of `watch`, which are public. */
export const watches = new WeakMap<object, Watched>();

/** Reads messages one after the other, with signs of life in between while a message is awaited. */
export class KeepAlive {
  readonly #read: () => Promise<string | null>;
  readonly #watched: Watched;
  #state: "idle" | "reading" | { message: string | null } | { error: unknown } = "idle";
  #hasPolled = false;
  #wake = () => {};
  readonly #onPoll = () => {
    this.#hasPolled = true;
    this.#wake();
  };

  /** @param tasks - the iterable that `read` reads: the one of `watch` tells when it polls */
  constructor(tasks: object, read: () => Promise<string | null>) {
    this.#read = read;
    this.#watched = watches.get(tasks) ?? {
      clock: createSystemClock(),
      signal: undefined,
      onPoll: new Set(),
      estimate: () => null,
    };
    this.#watched.onPoll.add(this.#onPoll);
  }

  /** Resolves with the next message, `null` at the end, or with the sign of life when one is due. */
  async next(signOfLife: string): Promise<string | null> {
    if (this.#state === "idle") void this.#begin();
    if (this.#state === "reading" && !this.#hasPolled) await this.#silence();
    this.#hasPolled = false;
    const state = this.#state;
    if (typeof state === "string") return signOfLife;
    this.#state = "idle";
    if ("error" in state) throw state.error;
    return state.message;
  }

  /** How much longer a task of the iterable takes; `null` if that is not known. */
  estimate(task: Task): TaskEstimate | null {
    return this.#watched.estimate(task);
  }

  /** Whether the caller has ended the iterable, and it threw this. */
  isAborted(error: unknown): boolean {
    return isReasonOf(this.#watched.signal, error);
  }

  stop(): void {
    this.#watched.onPoll.delete(this.#onPoll);
    this.#wake();
  }

  /** Reads the next message. Its promise lives long, so that only this function awaits it. */
  async #begin(): Promise<void> {
    this.#state = "reading";
    try {
      this.#state = { message: await this.#read() };
    } catch (error) {
      this.#state = { error };
    }
    this.#wake();
  }

  /** Waits for a message, a poll, or the longest silence. */
  async #silence(): Promise<void> {
    const { clock } = this.#watched;
    const timer = new AbortController();
    const until = clock.now() + LONGEST_SILENCE_MS;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const sleep = async () => {
        await clock.sleep(LONGEST_SILENCE_MS, timer.signal);
        // A clock that does not sleep would fill the stream with comments.
        if (clock.now() >= until) resolve();
      };
      sleep().catch(() => {});
    });
    timer.abort();
  }
}
