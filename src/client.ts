import { Account } from "./account.js";
import { Audio } from "./audio/audio.js";
import { isPublicHttpUrl } from "./contract/upload-address.js";
import type { Context } from "./http/context.js";
import type { ClientEvents } from "./http/events.js";
import { createEmitter, type Emitter, type Listener } from "./http/events.js";
import { RecentIds } from "./http/ids.js";
import { createLogError, createWarn, logEvents } from "./http/logging.js";
import { platformConsole } from "./http/platform.js";
import { createTrace } from "./http/tracing.js";
import { type ClientOptions, checkClientOptions } from "./options.js";
import { MemoryPacer } from "./rate-limit/memory-pacer.js";
import type { Pacer } from "./rate-limit/pacer.js";
import { Tasks } from "./tasks/tasks.js";
import { type Clock, createSystemClock } from "./time/clock.js";
import { dateAt } from "./time/date.js";

/** The current state of a key's rate limit; unknown values are `null`. */
export interface RateLimit {
  /** Requests in a window. */
  limit: number | null;
  /** Requests that are left in this window, without those in flight. */
  remaining: number | null;
  /** When this window ends. */
  resetAt: Date | null;
  /** Until when a 429 holds everything back. */
  heldUntil: Date | null;
}

/**
 * A client of the Asynchronous Music and Audio Generation Service. Create one client per API key: all its requests
 * share one pacer, which keeps to the key's rate limit.
 *
 * @throws `InvalidOptionError` an option is missing or out of range, or this is a browser
 *
 * @example
 * ```ts
 * import { AsyncMusic } from "async-music";
 *
 * const client = new AsyncMusic({ apiKey, baseUrl });
 * const { available } = await client.account.balance();
 * ```
 */
export class AsyncMusic {
  /** Tasks: create, retrieve, wait, watch, run. */
  readonly tasks: Tasks;
  /** Balance and usage. */
  readonly account: Account;
  /** Downloads. */
  readonly audio: Audio;
  /** The service address. */
  readonly baseUrl: string;
  readonly #emitter: Emitter = createEmitter();
  readonly #pacer: Pacer;

  constructor(options: ClientOptions = {}) {
    const { logger, logLevel, tracer, redactor, ...checked } = checkClientOptions(options);
    if (logger !== undefined) logEvents(this.#emitter, logger, logLevel, redactor.text);
    this.#pacer = checked.pacer ?? new MemoryPacer(checked.clock);
    const warn = createWarn(logger ?? platformConsole, logLevel);
    if (logger !== undefined && sendsKeyInClear(checked.baseUrl))
      warn?.(
        `The connection to ${checked.baseUrl} is not encrypted: others can read the API key. Use https.`,
      );
    const context: Context = {
      ...checked,
      pacer: this.#pacer,
      redactor,
      ids: { requests: new RecentIds(), tasks: new RecentIds() },
      service: { aheadMs: null, holdMs: 0, heldAt: Number.NEGATIVE_INFINITY },
      emitter: this.#emitter,
      trace: createTrace(tracer, redactor.text),
      warn,
      logError: createLogError(logger, logLevel),
    };
    this.baseUrl = checked.baseUrl;
    this.account = new Account(context);
    this.tasks = new Tasks(context, this.account);
    this.audio = new Audio(context);
    clocks.set(this, checked.clock);
  }

  /** The current state of the key's rate limit: 120 requests in 60 seconds by default. */
  get rateLimit(): RateLimit {
    const { limit, remaining, resetAt, heldUntil } = this.#pacer.rateLimit();
    const dateOf = (time: number | null) => (time === null ? null : dateAt(time));
    return { limit, remaining, resetAt: dateOf(resetAt), heldUntil: dateOf(heldUntil) };
  }

  /**
   * Adds a listener for an event: each `admission` by the rate limit, and each `wait` for it; each `attempt` and its
   * `response`; each `retry`, and each `pause` after a 429; the end of each `submission`; each change of a `task` that is
   * waited for, and its `completion`. No event contains the API key. Errors of a
   * listener are ignored.
   *
   * @returns a function that removes the listener
   * @throws `InvalidOptionError` there is no such event, or the listener is no function
   *
   * @example
   * ```ts
   * const stop = client.on("retry", ({ waitMs, error }) => console.warn(error, waitMs));
   * stop();
   * ```
   */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => void {
    return this.#emitter.on(name, listener);
  }
}

const clocks = new WeakMap<object, Pick<Clock, "now">>();

/** The clock of a client of this package, by which its intents are dated; the system's for any other object. */
export function clockOf(client: object): Pick<Clock, "now"> {
  return clocks.get(client) ?? createSystemClock();
}

/** Whether requests leave the local network without encryption. Public host names have a dot; IPv6 addresses have none. */
function sendsKeyInClear(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && /[.:]/.test(hostname) && isPublicHttpUrl(baseUrl);
}
