import type { Pacer } from "../rate-limit/pacer.js";
import type { Clock } from "../time/clock.js";
import type { Random } from "../time/random.js";
import type { Emitter } from "./emitter.js";
import type { KnownIds } from "./known-ids.js";
import type { Warn } from "./logger.js";
import type { Redactor } from "./redactor.js";
import type { Trace } from "./tracer.js";

/** What a transport is made of. */
export interface TransportConfig {
  /** The service address, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  /** The limits of a call that sets none of its own. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryBudgetMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: Pacer;
  readonly redactor: Redactor;
  readonly ids: KnownIds;
  readonly emitter: Emitter;
  readonly trace: Trace;
  readonly warn: Warn;
}
