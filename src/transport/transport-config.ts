import type { Clock } from "../clock/clock.js";
import type { Pacer } from "../pacer/pacer.js";
import type { Random } from "../random/random.js";
import type { Emitter } from "../telemetry/emitter.js";
import type { Warn } from "../telemetry/logger.js";
import type { Trace } from "../telemetry/tracer.js";
import type { KnownIds } from "./known-ids.js";
import type { Redactor } from "./redactor.js";

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
